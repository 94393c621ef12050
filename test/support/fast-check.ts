import fc from "fast-check";
import { givenSeed } from "./dice.js";

/** fast-check with the seed of all other random tests: the same commit is tried with the same values. */
fc.configureGlobal({ seed: givenSeed() });

export default fc;
