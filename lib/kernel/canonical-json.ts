/**
 * The one text of a JSON value (RFC 8785): members sorted by the UTF-16 units of their names, no spaces, numbers as ECMAScript writes
 * them. A number that no double holds (`JSON.rawJSON`) stays as it was written. Half a character, of which the RFC says nothing but
 * that it is an error, is written as its escape: no two values have one text.
 *
 * @param value plain data, as `JSON.parse` makes it; undefined members are left out
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null || isRawJson(value)) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

/** ECMAScript 2026, JSON.parse source text access; the compiler's library has no types of it. */
function isRawJson(value: unknown): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}
