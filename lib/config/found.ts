import type { Path } from "./path.ts";

const SECRET_KEY = /secret|token|password|private|credential|jwks/i;
const LONGEST = 60;

/**
 * How a refused value is named in a message. What a placeholder brought, what stands below a key that sounds like a secret
 * and what may hold a credential are described and never shown.
 */
export function found(value: unknown, path: Path, written: string | undefined): string {
  if (written !== undefined) return value === null ? written : `the value of ${written}`;
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  if (typeof value !== "string") return isSecret(path) ? `a ${typeof value}` : `the ${typeof value} ${String(value)}`;
  if (value === "") return "empty text";
  return isSecret(path) || /[@?]/.test(value) || value.length > LONGEST ? "text" : JSON.stringify(value);
}

/** Looks at the whole path: `tokenValidation` is above what is no secret, so its own name does not count. */
function isSecret(path: Path): boolean {
  return path.some((step) => typeof step === "string" && step !== "tokenValidation" && SECRET_KEY.test(step));
}
