/**
 * Whether a client has what the entity tag names (RFC 9110 §13.1.2). Weak comparison: a proxy may have weakened the tag when
 * it compressed the body.
 *
 * @param header value of `If-None-Match`
 * @param etag strong or weak, with its quotes
 */
export function matchesTag(header: string | undefined, etag: string): boolean {
  const candidates = header?.split(",").map((tag) => opaque(tag.trim())) ?? [];
  return candidates.includes(opaque(etag)) || candidates.includes("*");
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, "");
}
