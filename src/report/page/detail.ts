import type { ReportFile } from "../types.js";
import { button, byId, type Child, h } from "./dom.js";
import { bytes, count, day, LABELS, oid, SOURCES, shown } from "./labels.js";
import { chip } from "./list.js";
import type { Store } from "./state.js";
import type { Leaf, Tree } from "./tree.js";

const MOST = 12;

/** Explains the colour of one file. */
export function createDetail(store: Store, tree: Tree): void {
  const host = byId("detail");
  store.watch(({ selected }, changed) => {
    if (!changed.has("selected")) return;
    const parts = selected === null ? invitation() : explanation(selected, store, tree);
    host.replaceChildren(...parts.filter((part) => part !== null));
    if (selected !== null) byId("aloud").textContent = accessibleName(selected);
  });
}

function invitation(): Child[] {
  return [
    h("h3", {}, "Why?"),
    h(
      "p",
      { class: "quiet" },
      "Choose a file to see its description's state, what changed since, and which files import it.",
    ),
  ];
}

function accessibleName({ path, file }: Leaf): string {
  return [
    `${shown(path)}: ${LABELS[file.drift].name}.`,
    LABELS[file.drift].means,
    ...(file.details ?? []).map(shown),
  ].join(" ");
}

function explanation(leaf: Leaf, store: Store, tree: Tree): Child[] {
  const { file, name, path } = leaf;
  const analysed = file.analysed === undefined ? file.oid : file.analysed;
  const folder = path.slice(0, path.length - name.length);
  const facts: [string, Child][] = [
    ["Described", analysed === null ? "never" : hash(analysed)],
    ["At HEAD", file.oid === null ? "deleted" : analysed === file.oid ? "the same content" : hash(file.oid)],
    ...(file.bytes === null ? [] : ([["Size", bytes(file.bytes)]] as [string, Child][])),
  ];
  return [
    h("p", { class: "path" }, h("span", { class: "quiet" }, shown(folder)), h("wbr"), h("strong", {}, shown(name))),
    h("p", {}, chip(file.drift)),
    h("p", {}, LABELS[file.drift].means),
    (file.details ?? []).length === 0
      ? null
      : h("ul", {}, ...(file.details ?? []).map((one) => h("li", {}, shown(one)))),
    ...symbols(file),
    ...notes(leaf).map((note) => h("p", { class: "note" }, note)),
    h("dl", {}, ...facts.flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)])),
    ...importers(leaf, store, tree),
    h("p", { class: "quiet" }, "The same in a terminal:"),
    h("pre", {}, h("code", {}, `ua-hooks why ${quoted(path)}`)),
  ];
}

/** What changed, by symbol, and whose description stands there. Long lists are folded. */
function symbols({ symbols: all = [] }: ReportFile): Child[] {
  if (all.length === 0) return [];
  const rows = all.map(({ name, type, change, describedBy, describedAt }) => {
    const by =
      describedBy === undefined
        ? "not described by an agent"
        : `description ${SOURCES[describedBy] ?? `by ${shown(describedBy)}`}, ${day(describedAt ?? "")}`;
    return h(
      "li",
      {},
      type === "file" ? "code outside of functions" : h("code", {}, shown(name)),
      `: ${change}, ${by}`,
    );
  });
  const list = h("ul", { "aria-label": "Changed symbols" }, ...rows);
  return [all.length <= MOST ? list : h("details", {}, h("summary", {}, count(all.length, "changed symbol")), list)];
}

function hash(text: string): HTMLElement {
  return h("code", { title: text }, oid(text));
}

function notes({ file }: Leaf): string[] {
  return [
    ...(file.pending ? ["It is in the pending update."] : []),
    ...(file.dependent ? ["It imports something that changed at its interface."] : []),
    ...(file.dirty ? ["It has uncommitted changes, which are not compared here."] : []),
  ];
}

function importers({ file }: Leaf, store: Store, tree: Tree): Child[] {
  const leaves = (file.importedBy ?? []).flatMap((at) => tree.leaves[at] ?? []);
  if (leaves.length === 0) return [h("p", { class: "quiet" }, "No known file imports it.")];
  const row = (leaf: Leaf) =>
    h(
      "li",
      {},
      button(shown(leaf.path), { class: "link" }, () => store.set({ selected: leaf })),
    );
  const rest = leaves.length - MOST;
  return [
    h("h3", {}, `Imported by ${count(leaves.length, "file")}`),
    h("ul", { class: "plain" }, ...leaves.slice(0, MOST).map(row)),
    rest > 0 ? h("p", { class: "quiet" }, `… and ${count(rest, "more file")}`) : null,
  ];
}

/** Quoted for a shell. A name with invisible characters is shown as JSON instead: it is not safe to copy. */
function quoted(path: string): string {
  if (shown(path) !== path) return shown(JSON.stringify(path));
  return /^[\w./@+-]+$/.test(path) && !path.startsWith("-") ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
