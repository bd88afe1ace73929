/** Space, at most one `name=value` or `name="value"`, and what ends it. */
const PAIR = /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/gy;

/**
 * The values of `for` in a `Forwarded` field (RFC 7239 section 4), in order; an element without one is an empty text. A
 * field that is not well formed has none: reading on after a mistake could take one hop's quotation marks for another's.
 * Colons and brackets outside of quotation marks are let pass, as proxies send them.
 */
export function forwardedFor(field: string): readonly string[] {
  const nodes: string[] = [];
  let node = "";
  for (const [, name, plain, quoted, end] of field.matchAll(PAIR)) {
    if (name?.toLowerCase() === "for") node = plain ?? quoted?.replace(/\\(.)/g, "$1") ?? "";
    if (end === ";") continue;
    nodes.push(node);
    if (end === "") return nodes;
    node = "";
  }
  return [];
}
