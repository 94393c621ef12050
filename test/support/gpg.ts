import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import type { TestContext } from "node:test";
import { type Repo, repoAt } from "./repo.js";

export const hasGpg = spawnSync("gpg", ["--version"]).status === 0;

/** A clone that signs with a key of its own. */
export interface Signer {
  repo: Repo;
  fingerprint: string;
}

/** A key ring in a folder of its own; its agent ends with the test. */
export class GpgHome {
  readonly #env: NodeJS.ProcessEnv;

  constructor(t: TestContext, dir: string) {
    mkdirSync(dir, { mode: 0o700 });
    this.#env = { ...process.env, GNUPGHOME: dir };
    t.after(() => spawnSync("gpgconf", ["--kill", "all"], { env: this.#env }));
  }

  /** The same clone, with this key ring. */
  in({ dir, base, env }: Repo): Repo {
    return repoAt(dir, base, { ...env, GNUPGHOME: this.#env.GNUPGHOME });
  }

  /** Makes a key, with which git signs in this clone. */
  signIn(repo: Repo): Signer {
    const name = `${repo.dir.split("/").at(-1)} <${repo.dir.split("/").at(-1)}@example.com>`;
    this.#gpg(["--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "never"]);
    const listed = this.#gpg(["--with-colons", "--list-secret-keys", name]);
    const [, fingerprint = ""] = /^fpr:+([0-9A-F]{40}):/m.exec(listed) ?? [];
    repo.git("config", "gpg.format", "openpgp");
    repo.git("config", "user.signingKey", fingerprint);
    return { repo: this.in(repo), fingerprint };
  }

  exported(): string {
    return this.#gpg(["--armor", "--export"]);
  }

  import(keys: string): void {
    this.#gpg(["--import"], keys);
  }

  #gpg(args: readonly string[], input = ""): string {
    const { status, stdout, stderr } = spawnSync("gpg", ["--batch", "--quiet", ...args], {
      ...{ env: this.#env, input, encoding: "utf8" },
    });
    if (status !== 0) throw new Error(`gpg ${args.join(" ")}: ${stderr}`);
    return stdout;
  }
}
