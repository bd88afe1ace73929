import { essence } from "../../protocol/http/media-type.ts";
import type { BridgeTool } from "../catalog.ts";

/**
 * What an agent needs of an answer's headers: where something was made, when to come again, how the list goes on. URLs
 * are told without their query, which may repeat an API key or be signed.
 */
export function factsOf(tool: BridgeTool, response: Response): readonly string[] {
  const { headers, status } = response;
  const facts: (string | undefined)[] = [
    status === 201 || status === 202 ? told("Location", locationOf(response)) : undefined,
    told("Retry-After", headers.get("retry-after")),
    nextPage(tool, response),
  ];
  // Its headers are all that an answer to HEAD has.
  const described = tool.request.method === "HEAD" ? DESCRIPTIONS : [];
  return [...facts, ...described.map((name) => told(name, headers.get(name)))].filter((fact) => fact !== undefined);
}

/**
 * Where `Location` leads: a path on the API's own host, or an origin and a path.
 *
 * @param options `withQuery`: with the query, where that is of another host: an address that is signed is of no use without it
 */
export function locationOf(response: Response, options: { readonly withQuery?: true } = {}): string | undefined {
  const target = targetOf(response, response.headers.get("location"));
  if (target === undefined) return undefined;
  if (target.hostname === hostnameOf(response)) return target.pathname;
  return `${target.origin}${target.pathname}${options.withQuery ? target.search : ""}`;
}

const DESCRIPTIONS = ["Content-Type", "Content-Length", "Last-Modified", "ETag"];
const LENGTH = 500;

function told(name: string, value: string | null | undefined): string | undefined {
  return value ? `${name}: ${value.slice(0, LENGTH)}` : undefined;
}

/** `Link` with `rel="next"` (RFC 8288), as the arguments that ask for that page. */
function nextPage({ request }: BridgeTool, response: Response): string | undefined {
  const links = (response.headers.get("link") ?? "").slice(0, 8_000).split(/,(?=\s*<)/);
  const next = links.find((link) => /;\s*rel\s*=\s*"?next"?\s*(;|$)/i.test(link));
  const target = targetOf(response, next === undefined ? null : (/<([^>]*)>/.exec(next)?.[1] ?? null));
  if (target === undefined) return undefined;
  const given = request.parameters.flatMap(({ argument, name, in: location }) => {
    const value = location === "query" ? target.searchParams.get(name) : null;
    return value === null ? [] : [`${argument}=${value}`];
  });
  return told("Next page", given.join(", ")) ?? "There is a next page.";
}

function targetOf(response: Response, reference: string | null): URL | undefined {
  const base = response.url || UNKNOWN;
  return reference !== null && URL.canParse(reference, base) ? new URL(reference, base) : undefined;
}

function hostnameOf({ url }: Response): string {
  return new URL(url || UNKNOWN).hostname;
}

/** The base where a response does not know its own. */
const UNKNOWN = "http://api.invalid";

export function statusLine({ status, statusText }: Response): string {
  return statusText === "" ? `HTTP ${status}` : `HTTP ${status} ${statusText.slice(0, 100)}`;
}

/** What stands in place of bytes that are not shown. */
export function bytesOf(response: Response, length: number): string {
  return `${length} bytes of ${typeOf(response)}`;
}

export function typeOf(response: Response): string {
  return mediaTypeOf(response) ?? "unknown type";
}

/** RFC 6838 §4.2; undefined where the answer has none, or something else in its place. */
export function mediaTypeOf({ headers }: Response): string | undefined {
  const type = essence(headers.get("content-type"));
  return /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/.test(type) ? type : undefined;
}
