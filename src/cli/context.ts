import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { type Placed, readLines, SECTIONS, sectionOf } from "../context/append.js";
import { KINDS, type StatementKind, tidy } from "../context/extract.js";
import { rememberedTranscript } from "../context/prompt.js";
import { addToContext, logPath, needSession, updateContext } from "../context/update.js";
import { errnoOf, UaError } from "../errors.js";
import { mentionedPaths } from "../records/subject.js";
import type { RecordType } from "../records/types.js";
import { addRecordIfNew } from "../records/write.js";
import { projectAt } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import { isText, objectOf, parseJson } from "../store/check.js";
import { readProjectFile, readTextIfThere } from "../store/files.js";
import type { Command, Invocation } from "./command.js";
import { count, printable } from "./output.js";
import { choice, text, withRecords } from "./record-options.js";
import { verbOf } from "./suggest.js";

export const context: Command = {
  summary: "decisions, requirements and discoveries of the conversation, in the session's context.md",
  usage: "<show|update|add> … | --to-records",
  example: 'ua-hooks context add "Use SQLite for the queue" --kind Decision --why "one file, no server"',
  options: {
    ...{ transcript: { type: "string" }, kind: { type: "string" }, why: { type: "string" } },
    ...{ section: { type: "string" }, "to-records": { type: "boolean" } },
  },
  help: {
    show: "the active session, whether an update is due, and its context",
    "update [--transcript FILE]": "add what the last two messages of user and agent each contain, now",
    "add TEXT": `--kind ${Object.keys(KINDS).join("|")} [--why TEXT] [--section NAME]`,
    "--to-records": "create draft records from its decisions, requirements and discoveries (see `record`)",
  },
  positionals: true,
  async run(invocation) {
    const { cwd, flags, positionals } = invocation;
    const project = await projectAt(cwd);
    const [typed, ...rest] = positionals;
    if (typed !== undefined || flags["to-records"] !== true) {
      const run = VERBS[verbOf("context", VERB_NAMES, typed)];
      await run({ ...invocation, positionals: rest }, project);
    }
    if (flags["to-records"] === true) await toRecords(invocation, project);
    return 0;
  },
};

const VERBS = { show, update, add };
const VERB_NAMES = Object.keys(VERBS) as (keyof typeof VERBS)[];

interface LoggedError {
  at: string;
  error: string;
}

async function show({ out }: Invocation, project: Project): Promise<void> {
  const session = needSession(project);
  const content = readProjectFile(session.context, session.home);
  const pending = existsSync(session.marker);
  const errors = (readTextIfThere(logPath(project.stateDir)) ?? "").trimEnd().split("\n");
  const lastError = parseJson(errors.at(-1) ?? "", objectOf<LoggedError>({ at: isText, error: isText }));
  const document = { schema: "ua-hooks.context/1", session: session.name, file: session.context, pending, lastError };
  out.result({ ...document, items: readLines(content ?? ""), content }, [
    `${printable(session.name)}${pending ? ", an update is due" : ""}`,
    ...(lastError === null ? [] : [`last error, ${lastError.at.slice(0, 16)}: ${printable(lastError.error)}`]),
    ...(content === null ? ["There is no context yet."] : ["", content.trimEnd()]),
  ]);
}

async function update({ cwd, flags, out }: Invocation, project: Project): Promise<void> {
  const given = text(flags, "transcript");
  const path = given === null ? rememberedTranscript(project) : isAbsolute(given) ? given : resolve(cwd, given);
  if (path === null) {
    throw new UaError(
      "usage",
      "no prompt of an agent was recorded in this worktree",
      "name the transcript: `ua-hooks context update --transcript FILE`",
    );
  }
  const added = take(project, path);
  out.result(
    {
      schema: "ua-hooks.context-update/1",
      added: added.map(({ kind, what, why, section }) => ({ kind, what, why, section })),
    },
    [
      added.length === 0 ? "Nothing new." : `${count(added.length, "line")} added`,
      ...added.map(({ kind, what }) => `  ${kind}: ${printable(what)}`),
    ],
  );
}

function take(project: Project, transcript: string): Placed[] {
  try {
    return updateContext(project, transcript);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw new UaError("usage", `${printable(transcript)} does not exist`);
    throw error;
  }
}

async function add({ flags, positionals, out }: Invocation, project: Project): Promise<void> {
  const kind = choice(flags, "kind", Object.keys(KINDS) as StatementKind[]);
  const what = tidy(positionals.join(" "), 200);
  if (kind === null || what === "") throw new UaError("usage", "add needs a text and --kind");
  const why = text(flags, "why");
  const item = { kind, what, why: why === null ? null : tidy(why, 160), at: new Date() };
  const section = choice(flags, "section", SECTIONS) ?? sectionOf(item);
  const added = addToContext(project, needSession(project), [{ ...item, section }]);
  out.result({ schema: "ua-hooks.context-add/1", added: added.length === 1, section }, [
    added.length === 1 ? `Added to "${section}".` : "It is already in the file.",
  ]);
}

const RECORDED: Partial<Record<StatementKind, RecordType>> = {
  Decision: "decision",
  Technical: "decision",
  Requirement: "requirement",
  Constraint: "requirement",
  Discovery: "discovery",
};

/** Low: a program found it in a conversation. */
const CONFIDENCE = 0.5;

/** Creates drafts, for a person to approve. Existing records, in any state, are skipped. */
async function toRecords(invocation: Invocation, project: Project): Promise<void> {
  const session = needSession(project);
  const lines = readLines(readProjectFile(session.context, session.home) ?? "");
  const drafted = await withRecords(invocation, async (worktree) => {
    const ids: string[] = [];
    for (const { kind, what, why } of lines) {
      const type = RECORDED[kind];
      const subjects = mentionedPaths(`${what} ${why ?? ""}`, worktree.project.worktree.path);
      if (type === undefined) continue;
      const evidence = [{ kind: "conversation" as const, ref: session.name, locator: null, quote: why }];
      const candidate = { type, statement: what, subjects, confidence: CONFIDENCE, origin: "agent" as const, evidence };
      const added = await addRecordIfNew(worktree, { ...candidate, draft: true });
      if (added !== null) ids.push(added.record.id);
    }
    return ids;
  });
  invocation.out.result({ schema: "ua-hooks.context-records/1", drafts: drafted }, [
    drafted.length === 0
      ? "No new records."
      : `${count(drafted.length, "draft")}: \`ua-hooks record list --status draft\``,
  ]);
}
