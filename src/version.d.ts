/** Put in by the build, from package.json. */
declare const UA_HOOKS_VERSION: string;
