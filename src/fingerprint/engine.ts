/** Rises when the engine itself (tokens, rendering, merging) changes what it extracts for every language. */
export const ENGINE = "ua-hooks/4";

/**
 * The scheme of symbol hashes. It is not the extractor's version: descriptions are kept by these hashes, and clones of two
 * versions share them, so a grammar or an extractor that changes must not change them (test/fingerprint/golden). A new
 * scheme hashes all that is kept anew from its blobs.
 */
export const SYMBOL_SCHEME = "h1";
