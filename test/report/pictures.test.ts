import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pageOf } from "../../src/cli/report.js";
import { NO_CHROMIUM, type Page, startBrowser } from "../support/browser.js";
import { demoFiles, workOnDemo } from "../support/demo.js";
import { note } from "../support/records.js";
import { makeRepo } from "../support/repo.js";
import { largeReport } from "../support/report-data.js";

/** `UA_HOOKS_PICTURES=DIR` keeps what was seen: the pictures in the docs are made here (then reduced to a palette). */
const KEEP = process.env.UA_HOOKS_PICTURES;

async function picture(page: Page, name: string): Promise<Buffer> {
  const png = await page.screenshot(name.endsWith("-whole"));
  if (KEEP !== undefined) writeFileSync(join(KEEP, `${name}.png`), png);
  return png;
}

test("a real project's page, light and dark, and one of 20,000 files", {
  skip: NO_CHROMIUM,
  timeout: 300_000,
}, async (t) => {
  const repo = makeRepo(t, { name: "harbour" });
  repo.commit("Start", demoFiles());
  assert.equal(repo.ua("install").code, 0);
  await note(repo, "src/booking/price.ts", "A price never depends on the day it is asked for");
  await note(repo, "src/berths/allocate.ts", "Two captains may ask for one berth at once; the first to pay has it");
  workOnDemo(repo);
  assert.equal(repo.ua("report", "--last", "10").code, 0);
  const page = await startBrowser(t)(t);
  await page.size(1280, 960);
  const seen: Buffer[] = [];
  for (const theme of ["light", "dark"] as const) {
    await page.theme(theme);
    await page.open(join(repo.dir, "ua-hooks-report.html"));
    await page.evaluate(
      `[...document.querySelectorAll("#records button")].find((b) => b.innerText.endsWith("price.ts")).click()`,
    );
    await page.evaluate("scrollTo(0, 0)");
    assert.match(await page.evaluate(`document.getElementById("detail").innerText`), /params changed: price0/);
    seen.push(await picture(page, `report-${theme}`));
    if (theme === "light") await picture(page, "report-whole");
  }
  assert.notDeepEqual(seen[0], seen[1]);
  writeFileSync(join(repo.dir, "large.html"), pageOf(largeReport(20_000)));
  await page.theme("light");
  await page.open(join(repo.dir, "large.html"));
  await picture(page, "report-large");
  assert.deepEqual([page.problems, page.requests], [[], []]);
});
