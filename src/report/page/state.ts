import type { Shade } from "../types.js";
import type { Area } from "./layout.js";
import type { Folder, Leaf } from "./tree.js";

/** The user's choices. Everything is drawn from this. */
export interface State {
  folder: Folder;
  selected: Leaf | null;
  query: string;
  /** Shades to show; empty: all. */
  shades: ReadonlySet<Shade>;
  area: Area;
  view: "map" | "list";
}

export interface Store {
  get(): State;
  set(change: Partial<State>): void;
  /** Called once immediately, and at every change with the changed keys. */
  watch(listener: (state: State, changed: ReadonlySet<keyof State>) => void): void;
}

export function createStore(first: State): Store {
  let state = first;
  const listeners: ((state: State, changed: ReadonlySet<keyof State>) => void)[] = [];
  return {
    get: () => state,
    set: (change) => {
      const keys = Object.keys(change) as (keyof State)[];
      const changed = new Set(keys.filter((key) => change[key] !== state[key]));
      if (changed.size === 0) return;
      state = { ...state, ...change };
      for (const listener of listeners) listener(state, changed);
    },
    watch: (listener) => {
      listeners.push(listener);
      listener(state, new Set(Object.keys(state) as (keyof State)[]));
    },
  };
}

export const isSearching = ({ query, shades }: State) => query !== "" || shades.size > 0;

/** Whether a file matches the search. */
export function fits({ query, shades }: State, { path, file }: Leaf): boolean {
  if (shades.size > 0 && !shades.has(file.drift)) return false;
  return query === "" || path.toLowerCase().includes(query);
}
