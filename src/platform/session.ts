/** How hooks/shim.sh starts the worker in a session of its own, and a harmless use of the same program. */
const TRIALS: readonly (readonly [program: string, ...args: string[]])[] = [
  ["setsid", "sh", "-c", ":"],
  ["perl", "-MPOSIX=setsid", "-e", "1"],
];

/**
 * Those that are on PATH but fail (a BusyBox without that part, a perl without its modules): a hook cannot notice, since it does not wait
 * for them. Asked once, by install.
 */
export function brokenSessionPrograms(): string[] {
  const isBroken = ([program, ...args]: readonly [string, ...string[]]) => {
    const { error, status } = process
      .getBuiltinModule("node:child_process")
      .spawnSync(program, args, { stdio: "ignore", timeout: 10_000 });
    return error === undefined && status !== 0;
  };
  return TRIALS.filter(isBroken).map(([program]) => program);
}
