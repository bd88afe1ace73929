/** One part of a header's value: text, or what a request brings. */
export type HeaderPart =
  | { readonly text: string; readonly isSecret?: boolean }
  /** A claim of the person that the agent acts for. */
  | { readonly user: string }
  /** What a connector says of the person who signed in there; in web apps alone. */
  | { readonly connector: string; readonly claim: string }
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

const OF_AGENTS = String.raw`user\.([A-Za-z0-9_.:/-]+)|(agent\.clientID)|(request\.id)`;
const CONNECTOR_CLAIM = String.raw`([A-Za-z0-9_-]+)\.([A-Za-z0-9_.:/-]+)`;
const PLACEHOLDERS = {
  tools: new RegExp(String.raw`\{\{\s*(?:${OF_AGENTS})\s*\}\}`, "g"),
  web: new RegExp(String.raw`\{\{\s*(?:${OF_AGENTS}|${CONNECTOR_CLAIM})\s*\}\}`, "g"),
};

/**
 * Reads the value of a header; what looks like no placeholder of a request is text.
 *
 * @param kind `web`: of a web app, which knows what each connector says of a person
 */
export function headerParts(value: string, kind: keyof typeof PLACEHOLDERS = "tools"): readonly HeaderPart[] {
  const parts: HeaderPart[] = [];
  let end = 0;
  for (const match of value.matchAll(PLACEHOLDERS[kind])) {
    if (match.index > end) parts.push({ text: value.slice(end, match.index) });
    parts.push(partOf(match));
    end = match.index + match[0].length;
  }
  if (end < value.length) parts.push({ text: value.slice(end) });
  return parts;
}

function partOf([, user, agent, , connector, claim]: readonly (string | undefined)[]): HeaderPart {
  if (user !== undefined) return { user };
  if (connector !== undefined && claim !== undefined) return { connector, claim };
  return agent === undefined ? { request: "id" } : { agent: "clientID" };
}
