// `npm run check`: what reads the code without running it, all at the same time. Each one's output is printed when it ends.
import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

function check(name) {
  return new Promise((resolve) => {
    // On Windows npm is a script, which only a shell starts.
    const shell = process.platform === "win32";
    const child = spawn("npm", ["run", "--silent", name], { cwd: root, shell, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
      });
    child.on("close", (status) => {
      process.stdout.write(`${name}: ${status === 0 ? "ok" : "failed"}\n${output}`);
      resolve(status === 0);
    });
  });
}

const passed = await Promise.all(["types", "lint", "dead"].map(check));
if (passed.includes(false)) process.exit(1);
