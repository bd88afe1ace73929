import { HOP_BY_HOP } from "../protocol/http/field-names.ts";
import { cookieName, isOwnCookie } from "./own-cookies.ts";

/** Where an app lies, at the upstream and to its users. */
export interface AnswerFacts {
  /** As it is configured; its path stands before that of each request. */
  readonly upstream: URL;
  /** Of the route, without a slash at its end. */
  readonly publicOrigin: string;
  /** Taken from the path of each request; empty: nothing is. */
  readonly stripPrefix: string;
  readonly ownCookies: readonly string[];
  /** The answer is for one person. */
  readonly isPrivate: boolean;
  /** It was asked for with a token of the person, which the client's own request does not show. */
  readonly isOfPerson?: boolean;
  /** The Console has the same origin. */
  readonly sharesOrigin: boolean;
}

/**
 * The headers of an upstream's answer as the client gets them. Addresses of the upstream become ours, it sets no cookie of ours,
 * and what is for one person alone is not left to shared caches. `Alt-Svc` is of the upstream's connection: it would lead browsers around us.
 */
export function clientHeaders(answer: Headers, facts: AnswerFacts): Headers {
  const { ownCookies, isPrivate, sharesOrigin } = facts;
  const named = (answer.get("Connection") ?? "").split(",").map((name) => name.trim().toLowerCase());
  const isRemoved = (name: string) =>
    HOP_BY_HOP.has(name) ||
    named.includes(name) ||
    name === "set-cookie" ||
    name === "alt-svc" ||
    (sharesOrigin && OF_THE_ORIGIN.includes(name));
  const result = new Headers();
  for (const [name, value] of answer) if (!isRemoved(name)) result.append(name, value);
  // Read one by one: a comma is part of `Expires`.
  const cookies = named.includes("set-cookie") ? [] : answer.getSetCookie();
  for (const cookie of cookies) {
    if (!isOwnCookie(cookie.split(";", 1)[0] ?? "", ownCookies)) {
      result.append("Set-Cookie", withClientPath(cookie, facts));
    }
  }
  const location = result.get("Location");
  if (location !== null) result.set("Location", clientLocation(location, facts));
  if (isPrivate && !result.has("Cache-Control")) result.set("Cache-Control", "private");
  // No cache knows of the token, whose presence would keep the answer to itself (RFC 9111 §3.5).
  if (facts.isOfPerson && !/\bno-store\b/i.test(result.get("Cache-Control") ?? "")) {
    result.set("Cache-Control", "private, no-cache");
    result.append("Vary", "Cookie");
  }
  return result;
}

/**
 * What they do reaches beyond the app: they sign people out of the Console, put a script before its pages, have the addresses of
 * sign-ins reported elsewhere, or take HTTPS back.
 */
const OF_THE_ORIGIN = [
  ...["clear-site-data", "service-worker-allowed"],
  ...["nel", "report-to", "reporting-endpoints", "strict-transport-security"],
];

/**
 * A place at the upstream's origin as the client reaches it. One that is relative to the request's own path is left as it is, as it
 * means the same to the client, and so is a place elsewhere.
 */
function clientLocation(location: string, facts: AnswerFacts): string {
  if (!/^(?:[/\\]|[a-z][a-z\d+.-]*:)/i.test(location)) return location;
  const { upstream, publicOrigin } = facts;
  const url = URL.parse(asUnicode(location), upstream);
  if (url?.origin !== upstream.origin) return location;
  const path = clientPath(url.pathname, facts);
  const rest = `${path === "" ? "/" : path}${url.search}${url.hash}`;
  const isPath = /^[/\\](?![/\\])/.test(location);
  if (isPath && path === url.pathname) return location;
  // Without the upstream's path, `/app//host/` would begin with two slashes and lead to another host.
  return isPath && !rest.startsWith("//") ? rest : `${publicOrigin}${rest}`;
}

/** Fields hold bytes, and browsers read those of `Location` as UTF-8. Some runtimes have decoded them already. */
function asUnicode(field: string): string {
  if (!/[\x80-\xff]/.test(field) || /[^\0-\xff]/.test(field)) return field;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(field, (byte) => byte.charCodeAt(0)));
  } catch {
    // Another encoding; it was decoded as well as it can be.
    return field;
  }
}

/** The path to which requests at this path of the upstream go; one that no request can lead to is left as it is. */
function clientPath(path: string, facts: AnswerFacts): string {
  const base = basePath(facts);
  return isBelow(base, path) ? `${facts.stripPrefix}${path.slice(base.length)}` : path;
}

/** Cookies for more than the app at the upstream are for all of it here: nothing else of the upstream is reached through it. */
function cookiePath(path: string, facts: AnswerFacts): string {
  const base = basePath(facts);
  const isForAll = isBelow(path.replace(/\/$/, ""), base) || path === `${base}/`;
  return isForAll ? facts.stripPrefix || "/" : clientPath(path, facts);
}

/** Without a slash at its end; empty: the upstream has none. */
function basePath({ upstream }: AnswerFacts): string {
  return upstream.pathname.replace(/\/$/, "");
}

function isBelow(base: string, path: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

/** `Domain` stays: what it names is the upstream's to know, and the browser's to refuse. */
function withClientPath(cookie: string, facts: AnswerFacts): string {
  const [pair = "", ...attributes] = cookie.split(";");
  // Browsers take such a cookie for the whole host alone (RFC 6265bis §4.1.3.2).
  if (/^__host-/i.test(cookieName(pair))) return cookie;
  const mapped = attributes.map((attribute) => {
    const [, before = "", path] = /^(\s*path\s*=\s*)(\/.*?)\s*$/i.exec(attribute) ?? [];
    return path === undefined ? attribute : `${before}${cookiePath(path, facts)}`;
  });
  return [pair, ...mapped].join(";");
}
