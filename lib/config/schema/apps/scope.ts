import { text } from "../types.ts";

const ACCEPTED = "a scope (RFC 6749 section 3.3): no spaces, quotes or backslashes";

/** One scope. */
export function scope() {
  return text(ACCEPTED).regex(/^[!#-[\]-~]+$/, { error: ACCEPTED });
}
