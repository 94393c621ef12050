import type { Shade } from "../types.js";
import { button, byId, type Child, empty, h, table } from "./dom.js";
import { bytes, count, LABELS, number, shown } from "./labels.js";
import { fits, isSearching, type State, type Store } from "./state.js";
import { byUrgency, type Folder, type Leaf, leavesOf } from "./tree.js";

const PAGE = 200;

/** The same tree as a table: for screen readers, for users who prefer rows, and for search results. */
export function createList(store: Store): void {
  const host = byId("list");
  let room = PAGE;
  const draw = (state: State) => {
    const rows = isSearching(state) ? foundIn(state, store) : inFolder(state.folder, store);
    const some = rows.slice(0, room).map((make) => make());
    const more = button(
      `Show ${number(Math.min(PAGE, rows.length - room))} more of ${number(rows.length)}`,
      { class: "more" },
      () => {
        room += PAGE;
        draw(store.get());
      },
    );
    const what = isSearching(state) ? "Search results" : `Files in ${shown(state.folder.path) || "the project"}`;
    host.replaceChildren(
      rows.length === 0
        ? empty(
            "Nothing here.",
            isSearching(state) ? "No file of this folder matches." : "There are no files to compare.",
          )
        : table(what, [["Name"], ["State"], ["Files", "number"], ["Size", "number"], ["Imported by", "number"]], some),
      ...(rows.length > room ? [more] : []),
    );
  };
  store.watch((state, changed) => {
    if (changed.has("folder") || changed.has("query") || changed.has("shades")) room = PAGE;
    if (state.view !== "list" || (changed.size === 1 && changed.has("selected"))) return;
    draw(state);
  });
}

type ListRow = () => Child[];

function inFolder(folder: Folder, store: Store): ListRow[] {
  const folders = folder.children.filter((child) => child.kind === "folder");
  const files = folder.children.filter((child) => child.kind === "file");
  folders.sort((a, b) => (a.files - a.counts.none < b.files - b.counts.none ? 1 : -1));
  return [
    ...folders.map((one) => () => folderRow(one, store)),
    ...files.sort(byUrgency).map((one) => () => fileRow(one, one.name, store)),
  ];
}

function foundIn(state: State, store: Store): ListRow[] {
  const found = [...leavesOf(state.folder)].filter((leaf) => fits(state, leaf)).sort(byUrgency);
  return found.map((leaf) => () => fileRow(leaf, leaf.path, store));
}

function folderRow(folder: Folder, store: Store): Child[] {
  const drifted = folder.files - folder.counts.none;
  return [
    button(`${shown(folder.name)}/`, { class: "link" }, () => store.set({ folder })),
    drifted === 0 ? chip("none") : `${number(drifted)} not fresh`,
    number(folder.files),
    bytes(folder.bytes),
    "",
  ];
}

function fileRow(leaf: Leaf, name: string, store: Store): Child[] {
  const { file } = leaf;
  return [
    button(shown(name), { class: "link" }, () => store.set({ selected: leaf })),
    chip(file.drift),
    "",
    bytes(file.bytes),
    file.importedBy === undefined ? "" : number(file.importedBy.length),
  ];
}

/** A shade as text, with its colour. */
export function chip(shade: Shade): HTMLElement {
  return h("span", { class: "chip" }, h("i", { class: `swatch ${shade}`, "aria-hidden": "true" }), LABELS[shade].name);
}

export function announce(state: State): string {
  if (!isSearching(state)) return "";
  let found = 0;
  for (const leaf of leavesOf(state.folder)) if (fits(state, leaf)) found++;
  return `${count(found, "file")} found`;
}
