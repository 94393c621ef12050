/** Rises when the engine itself (tokens, rendering, merging) changes what it extracts for every language. */
export const ENGINE = "ua-hooks/2";
