import { withoutUrlEscapes } from "../logging/secret-spellings.ts";
import type { UpstreamRequest } from "./request.ts";

/** What a request carries beside what the arguments make. */
export interface Carried {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values, unencoded. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly cookies?: readonly (readonly [name: string, value: string])[];
}

/** Adds it to a request. Nothing that the arguments made of the same name stays (checklist 24). */
export function carry(request: UpstreamRequest, { headers, query = [], cookies = [] }: Carried): UpstreamRequest {
  const all = { ...request.headers, ...headers };
  const cookie = cookies.length > 0 && withCookies(all.cookie, cookies);
  return {
    ...request,
    ...(query.length > 0 && { url: withQuery(request.url, query) }),
    headers: { ...all, ...(cookie && { cookie }) },
  };
}

function withQuery(url: string, pairs: NonNullable<Carried["query"]>): string {
  const { href, search } = new URL(url);
  const ours = new Set(pairs.map(([name]) => name));
  // The pairs stay as they are written: reading and writing them again could change them.
  const others = search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !ours.has(nameIn(pair)));
  const mine = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${href.slice(0, href.length - search.length)}?${[...others, ...mine].join("&")}`;
}

function nameIn(pair: string): string {
  const [entry] = new URLSearchParams(pair);
  return entry?.[0] ?? "";
}

function withCookies(header: string | undefined, pairs: NonNullable<Carried["cookies"]>): string {
  const ours = new Set(pairs.map(([name]) => name));
  const others = (header ?? "").split(/; */).filter((pair) => !["", ...ours].includes(cookieName(pair)));
  return [...others, ...pairs.map(([name, value]) => `${name}=${cookieValue(value)}`)].join("; ");
}

/** As servers read it that decode names. Where there is none, some take the value for the name. */
function cookieName(pair: string): string {
  return withoutUrlEscapes(pair.split("=", 1)[0] ?? "");
}

/** RFC 6265 §4.1.1 leaves the spelling of other characters to those who agree on it; most expect this one. */
function cookieValue(value: string): string {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(value) ? value : encodeURIComponent(value);
}
