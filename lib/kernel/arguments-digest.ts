import { sha256base64url } from "#sha256";

/** SHA-256 of the arguments' canonical JSON, base64url: tells equal calls without keeping what they carried. */
export function argumentsDigest(value: unknown): string {
  return sha256base64url(canonicalJson(value ?? {}));
}

/** JSON with sorted members and no spaces (RFC 8785 §3.2); the value comes from `JSON.parse`. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
