/** Put in by the build, from package.json. */
declare const UA_HOOKS_VERSION: string;
/** Put in by the build: none. Tests build a newer program with some (store/schema.ts). */
declare const LATER_MIGRATIONS: readonly (readonly string[])[] | undefined;
/** Put in by the build: false in the published one, which leaves out everything that only tests switch on. */
declare const FOR_TESTS: boolean;
