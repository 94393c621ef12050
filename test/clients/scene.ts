import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Place, RealClient } from "./clients.js";
import { type ModelAnswer, type ModelRequest, type ModelServer, startModelServer } from "./model-server.js";

/** What the model does next. A sub-agent has steps of its own. */
export type Step =
  | { shell: string | ((request: ModelRequest) => string); used?: number }
  | { sub: readonly Step[] }
  | { tool: RegExp; input: (request: ModelRequest) => Record<string, unknown> }
  | { text: string; used?: number };

/** One prompt to the client, until its process has ended. */
export interface Heard {
  code: number;
  output: string;
  ms: number;
  /** What the client asked its model for the user's own conversation, and for sub-agents. */
  main: ModelRequest[];
  sub: ModelRequest[];
  /** Requests beside them: for a title, a topic, a summary. */
  other: ModelRequest[];
}

export interface Scene {
  client: RealClient;
  place: Place;
  model: ModelServer;
  env: Record<string, string>;
  /** What the model answered to each request. */
  answers: Map<ModelRequest, ModelAnswer>;
  /** What the page says of this try, in short. */
  log: string[];
  /** A command of the client. */
  start(args: readonly string[]): Promise<{ code: number; output: string }>;
  /** A prompt in the conversation; the first one begins it. */
  turn(steps: readonly Step[], options?: TurnOptions): Promise<Heard>;
  /** The next turn begins another conversation. */
  newConversation(): void;
  /** A command of the user, in the repository. */
  sh(command: string): Promise<string>;
  ua(...args: string[]): Promise<string>;
  write(path: string, text: string): void;
  commit(message: string, files?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

export interface TurnOptions {
  /** Instead of the prompt that the steps belong to: a command of the client. */
  prompt?: string;
  untrusted?: boolean;
  /** Where the client is started; otherwise in the repository. */
  cwd?: string;
}

const LONGEST_TURN_MS = 150_000;

const START = {
  "src/a.ts": 'import { b } from "./b.js";\n\nexport function a(x: number): number {\n  return b(x);\n}\n',
  "src/b.ts": "export function b(x: number): number {\n  return x * 2;\n}\n",
};

export async function openScene(client: RealClient, bin: string, program: string): Promise<Scene> {
  const base = mkdtempSync(join(tmpdir(), `ua-hooks-client-${client.name}-`));
  const model = await startModelServer();
  const place: Place = { home: join(base, "home"), repo: join(base, "repo"), modelUrl: model.url };
  for (const folder of [place.home, place.repo]) mkdirSync(folder);
  const env = environment(place, client, programFolder(base, client, bin));
  const scripts = new Map<string, readonly Step[]>();
  const answers = new Map<ModelRequest, ModelAnswer>();
  model.play = (request) => {
    const answer = playScript(client, scripts, request);
    answers.set(request, answer);
    return answer;
  };
  let session: { id: string; begun: boolean } = { id: randomUUID(), begun: false };
  const call = (command: string, args: readonly string[], cwd = place.repo) => run(command, args, { cwd, env });
  const checked = async (command: string, args: readonly string[]) => {
    const { code, output } = await call(command, args);
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} exited ${code}: ${output}`);
    return output;
  };
  const scene: Scene = {
    ...{ client, place, model, env, answers, log: [] },
    start: (args) => call(bin, args),
    turn: async (steps, { prompt, untrusted = false, cwd } = {}) => {
      const label = `t${scripts.size}`;
      scripts.set(label, steps);
      const from = model.requests.length;
      const turn = {
        prompt: prompt ?? `#${label}# Please go on.`,
        session: session.id,
        resume: session.begun,
        untrusted,
      };
      session = { ...session, begun: true };
      const started = Date.now();
      const ended = await call(bin, client.args(turn, place), cwd);
      session = { ...session, id: client.sessionFrom?.(ended.output) ?? session.id };
      return { ...ended, ms: Date.now() - started, ...sorted(model.requests.slice(from)) };
    },
    newConversation: () => {
      session = { id: randomUUID(), begun: false };
    },
    sh: (command) => checked("sh", ["-c", command]),
    ua: (...args) => checked(process.execPath, [program, ...args]),
    write: (path, text) => {
      mkdirSync(dirname(join(place.repo, path)), { recursive: true });
      writeFileSync(join(place.repo, path), text);
    },
    commit: async (message, files = {}) => {
      for (const [path, text] of Object.entries(files)) scene.write(path, text);
      await scene.sh(`git add -A && git commit -q --allow-empty -m '${message}'`);
    },
    close: async () => {
      await model.close();
      rmSync(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
  client.prepare(place);
  await scene.sh("git init -q -b main");
  await scene.commit("start", START);
  return scene;
}

/** The client on PATH, as a user has it: not in a folder of node_modules, which `run --analyzer` leaves out. */
function programFolder(base: string, client: RealClient, bin: string): string {
  const folder = join(base, "bin");
  mkdirSync(folder);
  writeFileSync(join(folder, client.bin), `#!/bin/sh\nexec '${bin}' "$@"\n`, { mode: 0o755 });
  return folder;
}

/** Nothing of this machine's: no keys, no settings, no proxy. */
function environment(place: Place, client: RealClient, programs: string): Record<string, string> {
  const identity = { NAME: "A", EMAIL: "a@example.com" };
  const git = Object.entries(identity).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const path = [programs, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  return {
    ...{ HOME: place.home, PATH: path, LANG: "C.UTF-8", TERM: "dumb", NO_COLOR: "1", TMPDIR: tmpdir() },
    ...Object.fromEntries(git),
    UA_HOOKS_FOREGROUND: "1", // what a commit changes is known when the command ends
    ...client.env(place),
  };
}

interface Ended {
  code: number;
  output: string;
}

function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
      });
    const timer = setTimeout(() => {
      output += "\n(ended by the harness: it took too long)";
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, LONGEST_TURN_MS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, output });
    });
  });
}

const LABEL = /#(t\d+(?:-\d+)?)#/;

/** Where a request is in its script: the last prompt with a label, and how often the model has answered since. */
function position({ messages }: ModelRequest): { label: string; done: number } | null {
  const at = messages.findLastIndex(({ role, text }) => role === "user" && LABEL.test(text));
  const label = LABEL.exec(messages[at]?.text ?? "")?.[1];
  if (label === undefined) return null;
  return { label, done: messages.slice(at + 1).filter(({ role }) => role === "assistant").length };
}

function playScript(client: RealClient, scripts: Map<string, readonly Step[]>, request: ModelRequest): ModelAnswer {
  const at = position(request);
  const step = at === null || request.tools.length === 0 ? undefined : scripts.get(at.label)?.[at.done];
  // What Gemini CLI asks a summary to be like.
  if (request.system.includes("<state_snapshot>") && request.tools.length === 0)
    return { text: "<state_snapshot>Nothing of note.</state_snapshot>" };
  if (at === null || step === undefined) return { text: "Done." };
  if ("text" in step) return step;
  if ("shell" in step) {
    const command = typeof step.shell === "string" ? step.shell : step.shell(request);
    const answer = callOf(request, client.shell, client.shellInput(command));
    return step.used === undefined ? answer : { ...answer, used: step.used };
  }
  if ("tool" in step) return callOf(request, step.tool, step.input(request));
  const inner = `${at.label}-${at.done}`;
  scripts.set(inner, step.sub);
  return callOf(request, client.subAgent ?? /^$/, client.subAgentInput(`#${inner}# Do this part.`));
}

/** Only parameters that the tool has: clients refuse others. */
function callOf({ tools, parameters }: ModelRequest, name: RegExp, input: Record<string, unknown>): ModelAnswer {
  const tool = tools.find((one) => name.test(one));
  if (tool === undefined) return { text: `There is no tool ${name.source}.` };
  const known = parameters[tool] ?? [];
  const given = Object.entries(input).filter(([key]) => known.length === 0 || known.includes(key));
  return { calls: [{ tool, input: Object.fromEntries(given) }] };
}

function sorted(requests: readonly ModelRequest[]): Pick<Heard, "main" | "sub" | "other"> {
  const kindOf = (request: ModelRequest) => {
    const at = position(request);
    if (at === null || request.tools.length === 0) return "other";
    return at.label.includes("-") ? "sub" : "main";
  };
  const of = (kind: string) => requests.filter((request) => kindOf(request) === kind);
  return { main: of("main"), sub: of("sub"), other: of("other") };
}

const OURS = /since the knowledge graph was made/g;

/** How often our message stands in a request, or another text. */
export function messagesIn({ system, messages }: ModelRequest, pattern = OURS): number {
  return [system, ...messages.map(({ text }) => text)].join("\n").match(pattern)?.length ?? 0;
}

export function readIn(place: Place, path: string): string | null {
  const file = join(place.repo, path);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
