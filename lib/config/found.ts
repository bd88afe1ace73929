import type { Path } from "./path.ts";
import { mayHoldSecret, namesSecret } from "./schema/may-hold-secret.ts";

const LONGEST = 60;
const PLACEHOLDER_ALONE = /^(?:\{\{[^{}]*\}\}|<[^<>]*>)$/;

/**
 * How a refused value is named in a message. What a placeholder brought, what the schema marks as secret, text in the
 * place of a section with secrets and what may hold a credential are described and never shown.
 */
export function found(value: unknown, path: Path, written: string | undefined): string {
  if (written !== undefined) {
    const name = PLACEHOLDER_ALONE.test(written) || !mayHoldSecret(path) ? written : "text with a placeholder";
    if (value === null) return name;
    return value === "" ? `an empty value of ${name}` : `the value of ${name}`;
  }
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  if (value === "") return "empty text";
  const isSecret = mayHoldSecret(path);
  if (typeof value !== "string") return isSecret ? `a ${typeof value}` : `the ${typeof value} ${String(value)}`;
  const isHidden = isSecret || namesSecret(value) || /[@?]/.test(value) || value.length > LONGEST;
  return isHidden ? "text" : JSON.stringify(value);
}
