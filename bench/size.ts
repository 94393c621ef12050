import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import type { Row } from "./measure.js";
import { dist } from "./repos.js";

const MB = 1_000_000;
/** On Linux npm installs two of SQLite's binaries, for glibc and for musl. */
const [TARBALL, INSTALLED] = [4, process.platform === "linux" ? 30 : 20];

/** What a user downloads, and what lies on the disk afterwards, dependencies included. */
export const sizeRows: Part = async ({ base }) => {
  const dir = join(base, "consumer");
  mkdirSync(dir);
  writeFileSync(join(dir, "package.json"), '{ "private": true }');
  const packed = npm(dir, "pack", join(dist, ".."), "--json");
  const [{ filename, size }] = JSON.parse(packed) as [{ filename: string; size: number }];
  npm(dir, "install", join(dir, filename), "--prefer-offline", "--no-audit", "--no-fund");
  const installed = bytesIn(join(dir, "node_modules"));
  const names = readdirSync(join(dir, "node_modules")).filter((name) => !name.startsWith("."));
  const row = (what: string, bytes: number, most: number, also = ""): Row => {
    return { what, ratio: bytes / MB / most, bar: 1, detail: `${(bytes / MB).toFixed(1)} MB${also}` };
  };
  return [
    row(`published tarball ÷ ${TARBALL} MB`, size, TARBALL),
    row(`installed, with all dependencies ÷ ${INSTALLED} MB`, installed, INSTALLED, ` in ${names.length} folders`),
  ];
};

/** With the user's own environment: it knows where packages come from. */
function npm(cwd: string, ...args: string[]): string {
  return execFileSync("npm", [...args, "--ignore-scripts", "--loglevel=error"], { cwd, encoding: "utf8" });
}

/** What the disk gives for it, as `du` counts. */
function bytesIn(path: string): number {
  const { blocks } = lstatSync(path);
  const entries = lstatSync(path).isDirectory() ? readdirSync(path) : [];
  return entries.reduce((sum, name) => sum + bytesIn(join(path, name)), blocks * 512);
}
