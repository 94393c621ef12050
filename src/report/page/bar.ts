import { type Report, SHADES, type Shade } from "../types.js";
import { button, byId, h } from "./dom.js";
import { LABELS, number, shown } from "./labels.js";
import type { Area } from "./layout.js";
import { announce } from "./list.js";
import type { Store } from "./state.js";
import { trail } from "./tree.js";

/** The bar above the map: current folder, search and options. */
export function createBar(store: Store): void {
  const search = byId("search") as HTMLInputElement;
  search.addEventListener("input", () => store.set({ query: search.value.trim().toLowerCase() }));
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") store.set({ view: "list" });
    if (event.key !== "Escape" || search.value === "") return;
    search.value = "";
    store.set({ query: "" });
    event.preventDefault();
  });
  const area = byId("area") as HTMLSelectElement;
  area.addEventListener("change", () => store.set({ area: area.value as Area }));
  const [asMap, asList] = [byId("as-map"), byId("as-list")];
  asMap.addEventListener("click", () => store.set({ view: "map" }));
  asList.addEventListener("click", () => store.set({ view: "list" }));
  store.watch((state, changed) => {
    if (changed.has("folder")) drawTrail(store);
    if (changed.has("query") || changed.has("shades")) byId("found").textContent = announce(state);
    asMap.setAttribute("aria-pressed", String(state.view === "map"));
    asList.setAttribute("aria-pressed", String(state.view === "list"));
    byId("map").hidden = byId("hint").hidden = state.view !== "map";
    byId("list").hidden = state.view !== "list";
  });
}

function drawTrail(store: Store): void {
  const folders = trail(store.get().folder);
  byId("trail").replaceChildren(
    ...folders.map((folder, at) => {
      const isHere = at === folders.length - 1;
      const name = shown(folder.name);
      return h(
        "li",
        {},
        isHere
          ? h("span", { "aria-current": "location" }, name)
          : button(name, { class: "link" }, () => store.set({ folder })),
      );
    }),
  );
}

/** The legend with counts, and filters by shade. Returns the swatches: the map uses their colours. */
export function createLegend(store: Store, { drift, files }: Report): Map<Shade, Element> {
  const swatches = new Map<Shade, Element>();
  const buttons = SHADES.map((shade) => {
    const swatch = h("i", { class: `swatch ${shade}`, "aria-hidden": "true" });
    swatches.set(shade, swatch);
    const inside = h("span", {}, swatch, LABELS[shade].name, " ", h("b", {}, number(drift[shade])));
    const one = button(inside, { title: LABELS[shade].means, "aria-pressed": "false" }, () => {
      const shades = new Set(store.get().shades);
      if (!shades.delete(shade)) shades.add(shade);
      store.set({ shades });
    });
    one.disabled = drift[shade] === 0;
    store.watch(({ shades }) => one.setAttribute("aria-pressed", String(shades.has(shade))));
    return one;
  });
  byId("legend").replaceChildren(...buttons);
  byId("share").replaceChildren(
    ...SHADES.filter((shade) => drift[shade] > 0).map((shade) => {
      const part = h("i", { class: `swatch ${shade}` });
      part.style.flexGrow = String(Math.max(drift[shade], files.length / 250)); // one file of thousands is still visible
      return part;
    }),
  );
  return swatches;
}
