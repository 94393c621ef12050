import type { Repo } from "./repo.js";

/** A made-up project, large enough for a map: a harbour's booking system in TypeScript, with some Python and Go. */
const FOLDERS: Record<string, readonly string[]> = {
  "src/berths": ["allocate", "berth", "conflicts", "index", "tides", "queue", "limits"],
  "src/booking": ["book", "cancel", "confirm", "index", "price", "receipt", "rules", "waitlist", "window"],
  "src/vessels": ["draught", "index", "length", "registry", "vessel", "tonnage"],
  "src/http": ["auth", "cookies", "errors", "index", "routes", "server", "session"],
  "src/http/routes": ["admin", "berths", "bookings", "health", "vessels"],
  "src/store": ["cache", "index", "migrate", "pool", "query", "schema", "transaction"],
  "src/mail": ["index", "outbox", "send", "templates"],
  "src/ui/components": ["Banner", "BerthMap", "Button", "Calendar", "Field", "Form", "List", "Table"],
  "src/ui/pages": ["Admin", "Book", "Home", "Login", "Vessel"],
  "tools/import": ["csv.py", "clean.py", "load.py", "report.py"],
  "tools/tides": ["fetch.py", "predict.py"],
  "services/gauge": ["main.go", "reader.go", "serial.go", "filter.go"],
};

/** The same text for the same name, always: lengths differ as real files' do. */
function text(path: string, lines: number): string {
  const name = (path.split("/").pop() ?? "").replace(/\W.*$/, "");
  const rows = Array.from({ length: lines }, (_, at) => at);
  if (path.endsWith(".py")) return rows.map((at) => `def ${name}_${at}(value):\n    return value + ${at}\n`).join("\n");
  if (path.endsWith(".go"))
    return `package gauge\n\n${rows.map((at) => `func ${name}${at}(value int) int {\n\treturn value + ${at}\n}\n`).join("\n")}`;
  return rows
    .map((at) => `export function ${name}${at}(value: number): number {\n  return value + ${at};\n}\n`)
    .join("\n");
}

export function demoFiles(): Record<string, string> {
  const files: Record<string, string> = {};
  let seed = 7;
  for (const [folder, names] of Object.entries(FOLDERS)) {
    for (const name of names) {
      seed = (seed * 48_271) % 2_147_483_647;
      const path = `${folder}/${name}${name.includes(".") ? "" : folder.startsWith("src/ui") ? ".tsx" : ".ts"}`;
      const neighbour = names.find((other) => other !== name && !other.includes("."));
      const imports =
        path.includes("src/") && neighbour !== undefined
          ? `import { ${neighbour}0 } from "./${neighbour}.js";\n\n`
          : "";
      files[path] = imports + text(path, 2 + (seed % 18));
    }
  }
  return files;
}

/** Days of work on it: what needs nobody, what needs an agent, and a worktree on the side. */
export function workOnDemo(repo: Repo): void {
  const edit = (message: string, path: string, change: (text: string) => string) =>
    repo.commit(message, { [path]: change(repo.read(path)) });
  edit("Say why berths are locked", "src/berths/allocate.ts", (old) => `// Two captains may ask at once.\n${old}`);
  edit("Round tides down", "src/berths/tides.ts", (old) => old.replace("value + 1", "value - 1"));
  edit("Reword the mail", "src/mail/templates.ts", (old) => old.replace("value + 0", "value * 1"));
  edit("Comment the pool", "src/store/pool.ts", (old) => `/** Ten at most. */\n${old}`);
  edit("Price by season", "src/booking/price.ts", (old) =>
    old.replace("price0(value: number)", "price0(value: number, season: string)"),
  );
  edit("Tidy the loader", "tools/import/load.py", (old) => `# Loads what clean.py left.\n${old}`);
  repo.commit("Bookings can be moved", { "src/booking/move.ts": text("src/booking/move.ts", 9) });
  edit("Return an option", "src/vessels/registry.ts", (old) =>
    old.replace("registry0(value: number): number", "registry0(value: number): number | null"),
  );
  repo.git("rm", "-q", "tools/tides/fetch.py");
  repo.commit("Tides come from the gauge", {});
  edit("Filter outliers", "services/gauge/filter.go", (old) => old.replace("value + 0", "value + 0 /* m */"));
  repo.git("worktree", "add", "-q", "../quay", "-b", "quay");
  const quay = repo.at(`${repo.base}/quay`);
  quay.commit("Try quays", { "src/berths/quay.ts": text("src/berths/quay.ts", 4) });
  repo.write({ "src/http/session.ts": `// later\n${repo.read("src/http/session.ts")}` });
}
