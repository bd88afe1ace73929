export const REDACTED = "[redacted]";

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** The shortest secret that is looked for, characters: a shorter one would take half of every line with it. */
export const SHORTEST_SECRET = 8;

/** Names of fields whose value is a secret wherever it comes from; ids such as `tokenId` are not. */
const SECRET_NAME =
  /^(authorization|cookie|set-cookie|password|passphrase|pem|jwk|code|.*secret|.*token|.*assertion|.*private[-_]?key|.*api[-_]?key)$/i;

/**
 * The last line of defence: callers pass no secret, and if one does, no line shows it (checklist 10). Known values come
 * first, in any spelling; then what looks like a secret.
 */
export function redactor(secrets?: { readonly redact: Redact }): Redact {
  return (text) => {
    if (text.length < SHORTEST_SECRET) return text;
    return redactText(secrets === undefined ? text : secrets.redact(text));
  };
}

/** Whether a field of this name holds a secret, whatever it looks like. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Without what looks like a secret. */
export function redactText(text: string): string {
  let safe = text;
  for (const { hint, look, replacement = REDACTED } of LOOKS) {
    if (safe.includes(hint)) safe = safe.replace(look, replacement);
  }
  return safe.length < TOKEN_LENGTH ? safe : safe.replace(RANDOM_TOKEN, REDACTED);
}

interface Look {
  /** Stands in every text that the pattern finds something in: looking for it is cheap. */
  readonly hint: string;
  readonly look: RegExp;
  readonly replacement?: string;
}

/** Names that a secret is given in URLs, forms and JSON. */
const NAME = "[\\w.-]*(?:token|secret|password|passphrase|assertion|api[-_]?key|signature)";

/**
 * Text of strangers comes here, so that each takes time linear in it: a match is tried once a run of characters, not at
 * each of them.
 */
const LOOKS: readonly Look[] = [
  // JWTs and assertions; our access tokens, codes and refresh tokens; private keys; credentials with their scheme.
  { hint: "eyJ", look: /(?<![\w-])(?=[\w-]*eyJ[\w-]{8})[\w-]+\.[\w.-]+/g },
  { hint: "cs", look: /cs[tcr]_[a-z0-9-]+_[\w-]{20,}/g },
  {
    hint: "-----BEGIN",
    look: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  },
  { hint: "", look: /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi },
  // Tokens of Vault, access keys of AWS, and what keys of other services begin with.
  { hint: ".", look: /(?<![\w.-])(?:hv[bsr]\.[\w-]{20,}|s\.[A-Za-z0-9]{24}(?!\w))/g },
  { hint: "IA", look: /(?<!\w)A[KS]IA[A-Z0-9]{16}(?!\w)/g },
  { hint: "", look: /(?<![\w-])(?:gh[oprsu]_|github_pat_|glpat-|npm_|xox[abeprs]-|AIza|sk[-_])[\w-]{16,}/g },
  // Whatever stands behind the name of a secret or a protected cookie, and before a URL's host.
  {
    hint: "=",
    look: new RegExp(`(?<![\\w.-])((?:${NAME}|__(?:Host|Secure)-[\\w-]+)=)[^\\s&;,"']+`, "gi"),
    replacement: `$1${REDACTED}`,
  },
  {
    hint: '"',
    look: new RegExp(`("${NAME}\\\\?"\\s*:\\s*\\\\?")[^"\\\\]+`, "gi"),
    replacement: `$1${REDACTED}`,
  },
  { hint: "://", look: /:\/\/[^\s/@]+@/g, replacement: `://${REDACTED}@` },
];

/** 256 random bits as base64url: sessions, sign-in links, setup tokens. Words with hyphens have no capitals. */
const RANDOM_TOKEN = /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{43}(?![\w-])/g;
const TOKEN_LENGTH = 43;
