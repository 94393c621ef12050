import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { root, start } from "./repo.js";

/**
 * Another Node, from the registry: the package `node` is a script that installs `node-<platform>-<arch>`, which holds
 * the binary; taken directly it needs no script. Kept in node_modules/.cache between runs.
 */
export async function otherNode(major: number): Promise<{ node: string } | { missing: string }> {
  const prefix = platform() === "darwin" && arch() === "arm64" ? "node-bin" : "node";
  const name = `${prefix}-${platform()}-${arch()}`;
  const cache = join(root, "node_modules", ".cache", "ua-hooks-nodes");
  const kept = join(cache, String(major));
  const node = join(kept, "node_modules", name, "bin", "node");
  if (existsSync(node)) return { node };

  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, `${major}.`));
  try {
    const args = ["install", "--prefix", made, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    const { code, stderr } = await start("npm", [...args, `${name}@${major}`], { cwd: made, env: process.env });
    if (code !== 0) return { missing: `${name}@${major} cannot be had: ${lastLine(stderr)}` };
    // Another run may have been quicker; its copy is as good.
    if (!existsSync(node)) renameSync(made, kept);
    return existsSync(node) ? { node } : { missing: `${name}@${major} holds no bin/node` };
  } catch (error) {
    return { missing: String(error) };
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function lastLine(text: string): string {
  return (
    text
      .trim()
      .split("\n")
      .filter((line) => line.includes("error"))[0] ?? "npm failed"
  );
}
