import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { pageOf } from "../../src/cli/report.js";
import type { Report } from "../../src/report/types.js";
import { NO_CHROMIUM, type Page, startBrowser } from "../support/browser.js";
import { tempDir, until } from "../support/repo.js";
import { fileOf, largeReport, reportOf } from "../support/report-data.js";

const options = { skip: NO_CHROMIUM, timeout: 120_000 };

/** One for all tests of this file; it goes at its end. */
const newPage = NO_CHROMIUM ? null : startBrowser({ after } as unknown as TestContext);

async function show(t: TestContext, report: Report): Promise<{ page: Page; file: string }> {
  const page = (await newPage?.(t)) ?? assert.fail("without Chromium it is skipped");
  await page.size(1280, 900);
  const file = join(tempDir(t), "report.html");
  writeFileSync(file, pageOf(report));
  await page.open(file);
  return { page, file };
}

const text = (page: Page, id: string) => page.evaluate<string>(`document.getElementById("${id}").innerText`);

/** A point inside the map, in the window's own coordinates. */
async function inMap(page: Page, x: number, y: number): Promise<[number, number]> {
  const at = `const { left, top, width, height } = document.getElementById("map").getBoundingClientRect()`;
  return page.evaluate(`(() => { ${at}; return [left + width * ${x}, top + height * ${y}]; })()`);
}

const SMALL = reportOf({
  status: "pending",
  files: [
    fileOf("src/a.ts", "interface", {
      ...{
        bytes: 90_000,
        analysed: "c".repeat(40),
        details: ["params changed: twice"],
        importedBy: [1],
        pending: true,
        symbols: [
          {
            type: "function",
            name: "twice",
            change: "interface",
            describedBy: "anna",
            describedAt: "2026-01-02T03:04:05Z",
          },
          { type: "file", name: "", change: "body" },
        ],
      },
    }),
    fileOf("src/b.ts", "none", { bytes: 100 }),
    fileOf("tools/run.py", "cosmetic", { bytes: 100 }),
  ],
  weeks: [
    { from: "2025-12-29", runs: 0, free: 0, described: 0 },
    { from: "2026-01-05", runs: 8, free: 6, described: 12 },
  ],
  descriptions: {
    bySource: [{ source: "here", count: 12, newest: "2026-01-02T03:04:05Z" }],
    byMonth: [{ month: "2026-01", count: 12 }],
    ...{ review: 2, tokensSavedBySharing: 1500, filesPutBack: 2 },
  },
});

test("weeks are bars with a title each, and rows with the newest first", options, async (t) => {
  const { page } = await show(t, SMALL);
  const titles = await page.evaluate(`[...document.querySelectorAll("#weeks title")].map((one) => one.textContent)`);
  assert.deepEqual(titles, [
    "Week of 2025-12-29: 0 of 0 decisions found something to describe",
    "Week of 2026-01-05: 2 of 8 decisions found something to describe",
  ]);
  await page.evaluate(`document.querySelector("#weeks details").open = true`);
  assert.match(await text(page, "weeks"), /2026-01-05\s+8\s+75 %\s+12\s+2025-12-29\s+0\s+–\s+0/);
  assert.deepEqual(page.problems, []);
});

test("the panel of a file lists its changed symbols, and a section who described the code", options, async (t) => {
  const { page } = await show(t, SMALL);
  assert.match(
    await text(page, "descriptions"),
    /^2 descriptions may be false.*\s+Sharing saved 1,500 tokens\. 2 times a file came back/,
  );
  await page.click(...(await inMap(page, 0.3, 0.5)));
  const detail = await text(page, "detail");
  assert.match(detail, /twice: interface, description by anna, 2026-01-0\d/);
  assert.match(detail, /code outside of functions: body, not described/);
  assert.deepEqual(page.problems, []);
});

test(
  "the page loads without an error, a violation of its policy or a request; a click tells why",
  options,
  async (t) => {
    const { page } = await show(t, SMALL);
    await page.click(...(await inMap(page, 0.2, 0.5)));
    const why = await text(page, "detail");
    for (const part of [
      "src/a.ts",
      "interface",
      "params changed: twice",
      "cccccccccc",
      "bbbbbbbbbb",
      "Imported by 1 file",
    ]) {
      assert.ok(why.includes(part), `${part} is not in: ${why}`);
    }
    await page.evaluate(
      `[...document.querySelectorAll("#detail button")].find((b) => b.innerText === "src/b.ts").click()`,
    );
    assert.match(await text(page, "detail"), /fresh/, "an importer leads to its own story");
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.requests, []);
  },
);

test("the policy is alive: a script added to the page later does not run", options, async (t) => {
  const { page } = await show(t, SMALL);
  await page.evaluate(`(() => {
    const script = document.createElement("script");
    try { script.textContent = "window.ran = true"; } catch {}
    document.body.append(script);
  })()`);
  assert.equal(await page.evaluate("window.ran === undefined"), true);
  await until("the browser reports it", () => page.problems.length > 0);
});

test("everything works by keyboard: walk, ask why, zoom in and out, search, list", options, async (t) => {
  const { page } = await show(t, SMALL);
  await page.evaluate(`document.getElementById("map").focus()`);
  await page.press("ArrowRight");
  const first = await text(page, "here");
  assert.match(first, /^(src|tools)\/\S+ — (interface|fresh|cosmetic)$/);
  await page.press("Enter");
  assert.match(await text(page, "detail"), new RegExp(first.split(" ")[0]?.split("/")[1] ?? "?"));
  assert.notEqual(await text(page, "aloud"), "", "it is said aloud, too");
  await page.press("+");
  assert.match(await text(page, "trail"), /harbour\s+(src|tools)/);
  await page.press("Escape");
  assert.equal(await text(page, "trail"), "harbour");
  await page.evaluate(`document.getElementById("search").focus()`);
  await page.type("RUN");
  assert.equal(await text(page, "found"), "1 file found");
  await page.press("Enter");
  assert.match(await text(page, "list"), /tools\/run\.py\s+cosmetic/);
  await page.press("Escape");
  assert.match(await text(page, "list"), /src\//, "an empty search shows the folder again");
  assert.deepEqual(page.problems, []);
});

test("light and dark follow the system, the button overrules it, and every text can be read", options, async (t) => {
  const { page, file } = await show(t, SMALL);
  const ground = () => page.evaluate<string>(`getComputedStyle(document.body).backgroundColor`);
  const pixel = () =>
    page.evaluate<string>(`document.getElementById("canvas").getContext("2d").getImageData(5, 40, 1, 1).data.join()`);
  const seen = new Map<string, [string, string]>();
  for (const theme of ["light", "dark"] as const) {
    await page.theme(theme);
    await page.open(file);
    seen.set(theme, [await ground(), await pixel()]);
    assert.deepEqual(await page.evaluate(`(${lowContrasts})()`), [], theme);
  }
  assert.notEqual(seen.get("light")?.[0], seen.get("dark")?.[0]);
  assert.notEqual(seen.get("light")?.[1], seen.get("dark")?.[1], "the map is drawn anew");
  await page.evaluate(`document.getElementById("theme").click()`);
  assert.equal(await ground(), seen.get("light")?.[0]);
});

/** Runs in the page: texts, and inks of the map, whose contrast with what is behind them is below 4.5 (WCAG AA). */
const lowContrasts = `() => {
  const rgb = (css) => (css.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (css) => {
    const [r, g, b] = rgb(css).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const behind = (e) => {
    for (let at = e; at !== null; at = at.parentElement) {
      const ground = getComputedStyle(at).backgroundColor;
      if (ground !== "transparent" && rgb(ground)[3] !== 0) return ground;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  for (const e of document.querySelectorAll("body *")) {
    const hasText = [...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!(hasText || e.matches("#legend .swatch")) || e.matches("script, style, option") || e.closest("[hidden]")) continue;
    const found = ratio(getComputedStyle(e).color, behind(e));
    if (found < 4.5) low.push(e.tagName + "." + e.className + ": " + found.toFixed(2));
  }
  return low;
}`;

test("hostile names stay text, and show what they are", options, async (t) => {
  const names = [
    "</script><script>window.hurt=1</script>.ts",
    `"><img src=x onerror=window.hurt=1>.ts`,
    "line\nbreak\t.ts",
    "\u202etxt.exe\u202c.ts",
    "\udc80\udcff.ts",
    "__proto__/constructor.ts",
    "{{data}} $& \u2028.ts",
  ];
  const files = names.map((path) => fileOf(path, "interface", { details: [`renamed from ${path}`] }));
  const project = { ...reportOf().project, name: names[1] ?? "" };
  const run = {
    at: names[0] ?? "",
    view: names[1] ?? "",
    events: [names[2] ?? ""],
    head: names[0] ?? "",
    subject: names[1] ?? "",
  };
  const runs = [{ ...run, outcome: names[0] ?? "", action: null, reason: names[3] ?? "", parses: 0, ms: 1 }];
  const record = {
    id: names[0] ?? "",
    type: "",
    statement: names[1] ?? "",
    reason: names[3] ?? "",
    grade: null,
    paths: names,
  };
  const records = { counts: { active: 0, stale: 1, historical: 0 }, stale: [record] };
  const { page } = await show(t, reportOf({ files, project, runs, records }));
  await page.evaluate(`document.getElementById("as-list").click()`);
  await page.evaluate(`document.querySelector("#legend button:not(:disabled)").click()`); // all of them, in one list
  for (let at = 0; at < names.length; at++) {
    await page.evaluate(`document.querySelectorAll("#list button.link")[${at}].click()`);
  }
  assert.equal(await page.evaluate("window.hurt === undefined && document.images.length === 0"), true);
  const shown = await page.evaluate<string>(
    "document.body.textContent.replace(document.getElementById('data').textContent, '')",
  );
  assert.doesNotMatch(shown, /[\u202a-\u202e\u2028\udc80]/, "no name changes how the page reads");
  assert.ok(
    shown.includes("\\u202etxt.exe") && shown.includes("line\\u000abreak") && shown.includes("\\udc80\\udcff"),
    shown,
  );
  assert.deepEqual(page.problems, []);
  assert.deepEqual(page.requests, []);
});

test(
  "every control, table and picture has a name for a screen reader, and every heading a level",
  options,
  async (t) => {
    const { page } = await show(t, SMALL);
    const nameless = await page.evaluate<string[]>(`[...document.querySelectorAll(
    "button, input, select, table, summary, [role=application], [role=group], [role=img], section, nav, aside",
  )].filter((one) => {
    const by = (one.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.innerText ?? "").join("");
    const label = one.getAttribute("aria-label") ?? one.closest("label")?.innerText ?? "";
    return [by, label, one.caption?.textContent ?? "", /^(BUTTON|SUMMARY)$/.test(one.tagName) ? one.innerText : ""].every((name) => name.trim() === "");
  }).map((one) => one.outerHTML.slice(0, 120))`);
    assert.deepEqual(nameless, []);
    const levels = await page.evaluate<string[]>(
      `[...document.querySelectorAll("h1, h2, h3, h4")].map(({ tagName }) => tagName)`,
    );
    assert.equal(levels[0], "H1");
    assert.ok(
      levels.every((level, at) => at === 0 || Number(level[1]) <= Number(levels[at - 1]?.[1]) + 1),
      `${levels}`,
    );
    for (const id of ["found", "aloud"])
      assert.match(
        await page.evaluate(`document.getElementById("${id}").outerHTML`),
        /role="status"|aria-live="polite"/,
      );
  },
);

test("50,000 files are drawn, searched and walked", options, async (t) => {
  const report = largeReport(50_000);
  const { files } = report;
  const { page } = await show(t, report);
  const { drawMs, boxes } = await page.evaluate<Record<string, string>>(
    `({ ...document.getElementById("map").dataset })`,
  );
  assert.ok(Number(boxes) > 10_000, `${boxes} boxes`);
  const ready = await page.evaluate<number>(`performance.getEntriesByType("navigation")[0].loadEventEnd`);
  await page.evaluate(`document.getElementById("search").focus()`);
  await page.type("cargo/core");
  assert.equal(
    await text(page, "found"),
    `${files.filter(({ path }) => path.includes("cargo/core")).length.toLocaleString("en")} files found`,
  );
  await page.press("Enter");
  assert.equal(
    await page.evaluate(`document.querySelectorAll("#list tbody tr").length`),
    200,
    "the list comes in parts",
  );
  t.diagnostic(`50,000 files: laid out and drawn in ${drawMs} ms, loaded after ${Math.round(ready)} ms`);
  assert.deepEqual(page.problems, []);
});

test("with nothing to show every part says so", options, async (t) => {
  const { page } = await show(t, reportOf({ status: "uninitialized", reason: "there is no graph" }));
  for (const id of ["list", "timeline", "tokens", "weeks", "times", "records", "descriptions"])
    assert.match(await text(page, id), /^(No|Nothing) /);
  assert.deepEqual(page.problems, []);
});
