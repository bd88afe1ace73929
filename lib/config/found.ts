import type { Path } from "./path.ts";
import { documentSchema } from "./schema/document.ts";
import { isSecretAt } from "./schema/secrecy.ts";

const LONGEST = 60;

/**
 * How a refused value is named in a message. What a placeholder brought, what the schema marks as secret and what may
 * hold a credential are described and never shown.
 */
export function found(value: unknown, path: Path, written: string | undefined): string {
  if (written !== undefined) {
    if (value === null) return written;
    return value === "" ? `an empty value of ${written}` : `the value of ${written}`;
  }
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  if (value === "") return "empty text";
  const isSecret = isSecretAt(documentSchema, path);
  if (typeof value !== "string") return isSecret ? `a ${typeof value}` : `the ${typeof value} ${String(value)}`;
  return isSecret || /[@?]/.test(value) || value.length > LONGEST ? "text" : JSON.stringify(value);
}
