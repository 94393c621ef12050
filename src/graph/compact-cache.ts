/** A list that a cache can hold as text. */
interface Form<T> {
  toList(value: T): readonly unknown[];
  fromList(list: readonly unknown[]): T;
}

/** So many entries of lists are as they are at a time. */
const MOST_OPEN = 50_000;

/**
 * Something about every file of a repository, in little memory: what was asked for last is as it is, all else is text, in which the file's own path
 * is one character. A file of twenty functions takes half a kilobyte in place of ten.
 */
export class CompactCache<T> {
  readonly #form: Form<T>;
  readonly #texts = new Map<string, string>();
  readonly #open = new Map<string, { value: T; weight: number }>();
  readonly #most: number;
  #weight = 0;

  constructor(form: Form<T>, most = MOST_OPEN) {
    this.#form = form;
    this.#most = most;
  }

  get(path: string, make: () => T): T {
    const open = this.#open.get(path);
    if (open !== undefined) return open.value;
    const text = this.#texts.get(path);
    if (text !== undefined) {
      const list = JSON.parse(path === "" ? text : text.replaceAll("\0", () => path)) as unknown[];
      return this.#hold(path, this.#form.fromList(list), list.length);
    }
    const value = make();
    const list = this.#form.toList(value);
    this.#texts.set(path, shortened(list, path));
    return this.#hold(path, value, list.length);
  }

  delete(path: string): void {
    this.#texts.delete(path);
    this.#weight -= this.#open.get(path)?.weight ?? 0;
    this.#open.delete(path);
  }

  #hold(path: string, value: T, length: number): T {
    const weight = 5 + length;
    this.#open.set(path, { value, weight });
    this.#weight += weight;
    for (const [first, { weight: less }] of this.#open) {
      if (this.#weight <= this.#most || first === path) break;
      this.#open.delete(first);
      this.#weight -= less;
    }
    return value;
  }
}

/** NUL is in no JSON text, so it can stand for the path. */
function shortened(list: readonly unknown[], path: string): string {
  const text = JSON.stringify(list);
  // A copy in one piece: the parts of a joined text would stay in memory.
  return path === "" || !path.isWellFormed() ? text : Buffer.from(text.replaceAll(path, "\0")).toString();
}
