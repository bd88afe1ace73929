import type { LogFields } from "./logger.ts";

export const REDACTED = "[redacted]";

/** Names of fields whose value is a secret wherever it comes from; ids such as `tokenId` are not. */
const SECRET_NAME =
  /^(authorization|cookie|set-cookie|password|passphrase|pem|jwk|code|.*secret|.*token|.*assertion|.*private[-_]?key|.*api[-_]?key)$/i;

/**
 * Secrets by their look: JWTs and assertions, our tokens, private keys, bearer and basic credentials. Text of strangers
 * comes here, so that each takes time linear in it: a match is tried once a run of characters, not at each of them.
 */
const SECRET_VALUES = [
  /(?<![\w-])(?=[\w-]*eyJ[\w-]{8})[\w-]+\.[\w.-]+/g,
  /cst_[a-z0-9-]+_[\w-]{20,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
];

/** The last line of defence: callers pass no secret, and if one does, no line shows it (checklist 10). */
export function redactFields(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value !== "string") return [name, value];
      return [name, SECRET_NAME.test(name) ? REDACTED : redactText(value)];
    }),
  );
}

export function redactText(text: string): string {
  return SECRET_VALUES.reduce((safe, pattern) => safe.replace(pattern, REDACTED), text);
}
