import type { Report } from "../types.js";
import { createBar, createLegend } from "./bar.js";
import { drawDescriptions } from "./descriptions.js";
import { createDetail } from "./detail.js";
import { byId } from "./dom.js";
import { createList } from "./list.js";
import { createMap } from "./map.js";
import { drawOverview } from "./overview.js";
import { drawRecords, drawTimes, drawTokens, drawWeeks, drawWorktrees } from "./sections.js";
import { createStore } from "./state.js";
import { drawTimeline } from "./timeline.js";
import { buildTree } from "./tree.js";

const report = JSON.parse(byId("data").textContent ?? "") as Report;
const tree = buildTree(report.files, report.project.name);
const store = createStore({
  ...{ folder: tree.root, selected: null, query: "", shades: new Set(), area: "size" },
  view: report.files.length === 0 ? "list" : "map",
});

drawOverview(report);
const map = createMap(store, createLegend(store, report));
createBar(store);
createList(store);
createDetail(store, tree);
drawTimeline(report);
drawTokens(report);
drawWeeks(report);
drawTimes(report);
drawDescriptions(report);
drawRecords(report, store, tree);
drawWorktrees(report);
offerThemes(map.redraw);
printLight(map.draw);

/** The system's theme, until the user switches. */
function offerThemes(redraw: () => void): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const toggle = byId("theme");
  const { dataset } = document.documentElement;
  const isDark = () => (dataset.theme === undefined ? system.matches : dataset.theme === "dark");
  const showTheme = () => {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
    redraw();
  };
  toggle.addEventListener("click", () => {
    dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  system.addEventListener("change", showTheme);
  showTheme();
}

/** Print in the light theme; the canvas has to be redrawn before printing. */
function printLight(draw: () => void): void {
  const { dataset } = document.documentElement;
  let chosen: string | undefined;
  addEventListener("beforeprint", () => {
    chosen = dataset.theme;
    dataset.theme = "light";
    draw();
  });
  addEventListener("afterprint", () => {
    if (chosen === undefined) delete dataset.theme;
    else dataset.theme = chosen;
    draw();
  });
}
