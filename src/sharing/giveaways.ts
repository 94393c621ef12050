/** What a sentence about code has no need of, and what says more than the code does where it is read. */

/** Without one of these there is neither an address nor a path. */
const SIGNS = /[:/\\@%&[]|www\./i;

const ADDRESSES = [
  /:(?:\/\/|\\\\)/, // scheme://, and with the slashes of Windows
  /\b(?:https?|hxxps?|ftps?|wss?|ssh|file)\s*(?:\[:\]|:)\s*[/\\]/i,
  /%3a%2f|&#(?:0*58|x0*3a);|&colon;|\[\.\]/i, // encoded, and as people write it to hide it from programs
  /(?:^|[\s("'<=,])(?:\/\/[\w-]+\.\w|\\\\[\w-]+\\\w)/m, // //host.example, \\server\share
  /\bwww\.|\b(?:mailto|javascript):\S|\bdata:[a-z]+\//i,
  /[\w.+-]@(?:[\w-]+\.)+[a-z]{2,}\b/i, // a mail address, or git's form for ssh
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d|\/)/,
];

/** Looked for only where something ends like this: it takes ten times as long. */
const HOST_END = /\.[a-z]{2,8}(?::\d|\/\w)/i;
const HOSTS = [
  /\b(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|internal|corp|lan|cloud)(?::\d|\/\w)/i,
  /\b(?:[a-z0-9-]+\.){2,}(?:io|dev|app|ai|co|de|eu|uk)(?::\d|\/\w)/i,
];

/** They name the user or the machine. */
const MACHINE_PATHS = [
  /(?:^|[\s"'(`=])(?:\/home\/[\w.-]+\/|\/(?:Users|root)\/\w|~\/\w)/m,
  /\b[a-z]:\\\w/i, // C:\…
];

/** Tokens of well-known services, private keys, assigned passwords, long hashes. */
const SECRETS =
  /\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}\b|gh[pousr]_\w{30}|github_pat_\w{20}|glpat-[\w-]{16}|xox[abprs]-[\w-]{10}|sk-[\w-]{20}|AIza[\w-]{30}|eyJ[\w-]{8,}\.eyJ|[0-9a-f]{40})|-----BEGIN |(?:password|passwd|secret|token|api[_-]?key)\s*(?:=\s*\S{8}|[:=]\s*["'][^"']{8})/i;

/** Why a text does not travel; null if it has nothing of this kind. */
export function giveawayIn(written: string): string | null {
  // Full-width letters and their like are read as the plain ones.
  const text = /^[\n -~]*$/.test(written) ? written : written.normalize("NFKC");
  if (SIGNS.test(text)) {
    if (ADDRESSES.some((address) => address.test(text))) return "an address";
    if (HOST_END.test(text) && HOSTS.some((host) => host.test(text))) return "an address";
    if (MACHINE_PATHS.some((path) => path.test(text))) return "a path of a machine";
  }
  return SECRETS.test(text) ? "what looks like a secret" : null;
}
