import type { MakeFamily } from "./family.js";
import { dirOf, joinInside } from "./file-index.js";

/** Terraform: a module is a folder; only `./` and `../` lead to one of this project. */
export const hcl: MakeFamily = (index) => ({
  resolve({ from, source }) {
    const dir = /^\.\.?(?:\/|$)/.test(source) ? joinInside(dirOf(from), source) : undefined;
    return dir === undefined ? [] : index.filesIn(dir).filter((path) => /\.(?:tf|tofu)$/.test(path));
  },
});
