import { UaError } from "../errors.js";
import type { Command } from "./command.js";

interface KnownCommand {
  name: string;
  summary: string;
  options: { flag: string; meaning: string }[];
}

type Shell = (commands: readonly KnownCommand[]) => string;

const SHELLS: Record<string, Shell> = { bash, zsh, fish };

/** Generated from the commands, so that it is always complete. */
export function completionsFor(commands: Record<string, () => Promise<Command>>): Command {
  return {
    summary: "print a completion script for your shell",
    usage: "<bash | zsh | fish>",
    example: "ua-hooks completions bash > ~/.local/share/bash-completion/completions/ua-hooks",
    options: {},
    help: {},
    positionals: true,
    async run({ positionals: [shell = ""], out }) {
      const make = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (make === undefined) throw new UaError("usage", `completions are for ${Object.keys(SHELLS).join(", ")}`);
      const script = make(await describe(commands));
      out.result({ schema: "ua-hooks.completions/1", shell, script }, [script.trimEnd()]);
      return 0;
    },
  };
}

async function describe(commands: Record<string, () => Promise<Command>>): Promise<KnownCommand[]> {
  const known: KnownCommand[] = [];
  for (const [name, load] of Object.entries(commands)) {
    const { hidden, summary, options, help } = await load();
    if (hidden === true) continue;
    const meaning = (flag: string) => Object.entries(help).find(([key]) => key.split(" ")[0] === flag)?.[1] ?? "";
    const flags = [...Object.keys(options), "json", "cwd", "help"].map((option) => `--${option}`);
    known.push({ name, summary, options: flags.map((flag) => ({ flag, meaning: meaning(flag) })) });
  }
  return known;
}

function bash(commands: readonly KnownCommand[]): string {
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words="${options.map(({ flag }) => flag).join(" ")}" ;;`,
  );
  return `_ua_hooks() {
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map(({ name }) => name).join(" ")} help"
  else case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _ua_hooks ua-hooks
`;
}

/** In single quotes; `:` and brackets end a description in zsh. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const plain = (text: string) => text.replace(/[[\]:]/g, " ");

function zsh(commands: readonly KnownCommand[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${plain(summary)}`)}`);
  const cases = commands.map(({ name, options }) => {
    const flags = options.map(({ flag, meaning }) => quoted(`${flag}[${plain(meaning)}]`));
    return `    ${name}) _arguments ${[...flags, "'*:file:_files'"].join(" ")} ;;`;
  });
  return `#compdef ua-hooks
_ua_hooks() {
  local -a commands
  commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
${cases.join("\n")}
  esac
}
compdef _ua_hooks ua-hooks
`;
}

function fish(commands: readonly KnownCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c ua-hooks -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.map(
      ({ flag, meaning }) =>
        `complete -c ua-hooks -n "__fish_seen_subcommand_from ${name}" -l ${flag.slice(2)} -d ${quoted(meaning)}`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}
