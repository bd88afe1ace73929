/** One part of a header's value: text, or what a request brings. */
export type HeaderPart =
  | { readonly text: string; readonly isSecret?: boolean }
  /** A claim of the person that the agent acts for. */
  | { readonly user: string }
  | { readonly agent: "clientID" }
  | { readonly request: "id" };

/** A header of each request to an upstream. */
export interface UpstreamHeader {
  /** In lower case. */
  readonly name: string;
  readonly parts: readonly HeaderPart[];
  /** The value comes from a secret or the environment, or is a credential by its name. */
  readonly isSecret?: boolean;
}

const PLACEHOLDER = /\{\{\s*(?:user\.([A-Za-z0-9_.:/-]+)|(agent\.clientID)|(request\.id))\s*\}\}/g;

/** Reads a value of `upstream.headers`; what looks like no placeholder of a request is text. */
export function headerParts(value: string): readonly HeaderPart[] {
  const parts: HeaderPart[] = [];
  let end = 0;
  for (const match of value.matchAll(PLACEHOLDER)) {
    const [whole, claim, agent] = match;
    if (match.index > end) parts.push({ text: value.slice(end, match.index) });
    parts.push(claim !== undefined ? { user: claim } : agent !== undefined ? { agent: "clientID" } : { request: "id" });
    end = match.index + whole.length;
  }
  if (end < value.length) parts.push({ text: value.slice(end) });
  return parts;
}
