/** What looks like a secret, also one that no test has seen because its answer was lost. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  "the form of an access token": /cs[tcr]_[a-z]+_[0-9a-f]{2}[\w-]{20}/,
  "the form of a signed JWT": /eyJ[\w-]{16,}\.[\w-]{8}/,
  "the form of a private key": /PRIVATE KEY/,
};

/** Which forms of secrets a line holds; none: it looks harmless. */
export function secretLooks(line: string): readonly string[] {
  return Object.entries(LOOKS).flatMap(([kind, look]) => (look.test(line) ? [kind] : []));
}

/** The lines of a private key that are the key itself: each is searched for as it is. */
export function pemLines(pem: string): readonly string[] {
  return pem.split("\n").filter((line) => /^[A-Za-z0-9+/=]{16,}$/.test(line));
}
