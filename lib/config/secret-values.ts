import type { Path } from "./path.ts";
import { documentSchema } from "./schema/document.ts";
import { isSecretAt } from "./schema/secrecy.ts";

/** Every text in a filled document that the schema marks as secret, or that stands in something that it marks so. */
export function secretTexts(document: unknown, path: Path = []): readonly string[] {
  if (typeof document === "string") return isSecretAt(documentSchema, path) ? [document] : [];
  if (Array.isArray(document)) return document.flatMap((item, index) => secretTexts(item, [...path, index]));
  if (typeof document !== "object" || document === null) return [];
  return Object.entries(document).flatMap(([key, value]) => secretTexts(value, [...path, key]));
}
