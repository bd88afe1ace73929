import { parseIpAddress } from "../net/networks.ts";
import { foldedName, HOP_BY_HOP } from "../protocol/http/field-names.ts";
import { isOwnCookie } from "./own-cookies.ts";

/** What is told to the upstream of the request as it came to us. */
export interface ForwardedFacts {
  /** Of the client; absent: it is gone, or was never known. */
  readonly remoteAddress?: string;
  /** By which the client reached us. */
  readonly scheme: "http" | "https";
  /** The one that the client asked for, with its port where it is not the scheme's own. */
  readonly host: string;
}

export interface HeaderRules {
  /** Names that only we set, folded, also those that have no value this time. */
  readonly own: ReadonlySet<string>;
  readonly ownCookies: readonly string[];
  readonly forwardAuthorization: boolean;
  /** The upstream is asked for the host that the client asked for. */
  readonly preserveHost: boolean;
}

type Field = readonly [name: string, value: string];

/** What is read of a request's headers: names in lower case, each with one value. `Headers` are such; a runtime may have them quicker. */
export interface ClientFields extends Iterable<Field> {
  /** @param name in whichever case */
  readonly get: (name: string) => string | null;
}

/** `connection_names_ours`: the client's mistake. `header`: a name or a value of `set` that HTTP cannot carry. */
export interface HeaderFault {
  readonly fault: "connection_names_ours" | "header";
}

/**
 * The headers of a request to an upstream: the client's without those that could be taken for ours, what is told of its way here,
 * and `set`, with names in lower case. `Host` is there with `preserveHost` alone, and `Content-Length` never: both are made with the connection, of the
 * origin and the length of the request.
 */
export function upstreamHeaders(
  client: ClientFields,
  set: readonly Field[],
  facts: ForwardedFacts,
  { own, ownCookies, forwardAuthorization, preserveHost }: HeaderRules,
): readonly Field[] | HeaderFault {
  const named = connectionNames(client);
  const given = new Set(set.map(([name]) => foldedName(name)));
  const isOurs = (folded: string) => own.has(folded) || given.has(folded) || MADE_ANEW.has(folded);
  // A proxy behind us would take it for an order to remove our header (CVE-2025-48865).
  if (named.some(isOurs)) return { fault: "connection_names_ours" };
  if (!set.every(isSendable)) return { fault: "header" };
  const fields: Field[] = [];
  for (const [name, value] of client) {
    // A name in lower case that has no other spelling is its own folded form.
    if (isOtherSpelling(name) || isOurs(name) || named.includes(name) || isRemoved(name)) continue;
    if (name === "authorization" && !forwardAuthorization) continue;
    const kept = name === "cookie" ? othersCookies(value, ownCookies) : value;
    if (kept !== undefined) fields.push([name, kept]);
  }
  for (const field of forwardedFields(facts, preserveHost)) if (!given.has(field[0])) fields.push(field);
  for (const [name, value] of set) fields.push([name.toLowerCase(), value]);
  return fields;
}

/** Made anew for each request. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  ...["forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "host"],
]);

/** Of the frame; where a request comes from and what it asked for, as other proxies tell it; variables of CGI. All folded. */
const REMOVED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...["content-length", "expect", "http2-settings"],
  ...["x-forwarded", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip"],
  ...["x-host", "x-scheme", "x-url-scheme", "front-end-https"],
  ...["x-rewrite-url", "x-http-method", "x-http-method-override", "x-method-override"],
  // `Proxy` would be the variable by which programs find the proxy for their own requests (CVE-2016-5385).
  ...["script-name", "path-info", "remote-user", "proxy"],
]);
const REMOVED_PREFIXES = ["x-forwarded-", "x-original-", "x-envoy-", "cf-", "cloudfront-", "proxy-", "sm-"];

/** Whether no client's header of this name ever reaches an upstream as it came. */
export function isRemovedHeader(name: string): boolean {
  const folded = foldedName(name);
  return isOtherSpelling(name) || MADE_ANEW.has(folded) || isRemoved(folded);
}

/** Some servers read `_` and `.` as `-`, and would take the field for another one that a policy has or has not seen. */
function isOtherSpelling(name: string): boolean {
  return /[_.]/.test(name);
}

function isRemoved(folded: string): boolean {
  return REMOVED.has(folded) || REMOVED_PREFIXES.some((prefix) => folded.startsWith(prefix));
}

/** What `Connection` names, folded: it ends here. */
export function connectionNames(headers: Pick<ClientFields, "get">): readonly string[] {
  return (headers.get("Connection") ?? "")
    .split(",")
    .map((name) => foldedName(name.trim()))
    .filter((name) => name !== "");
}

/**
 * The pairs that are not ours, as they came; undefined when none is left. A pair goes as well when ours stands in it behind a
 * comma: fields that were sent apart may have been joined so, and readers by RFC 2965 take the comma for an end.
 */
function othersCookies(field: string, ownCookies: readonly string[]): string | undefined {
  const pairs = field.split(";");
  const others = pairs.filter((pair) => !pair.split(",").some((part) => isOwnCookie(part, ownCookies)));
  if (others.length === pairs.length) return field;
  return others.length === 0 ? undefined : others.join(";").trimStart();
}

function forwardedFields(facts: ForwardedFacts, preserveHost: boolean): readonly Field[] {
  const { scheme, host } = facts;
  const address = facts.remoteAddress === undefined ? undefined : parseIpAddress(facts.remoteAddress);
  const node = address?.kind() === "ipv6" ? `[${address}]` : (address?.toString() ?? "unknown");
  return [
    ...(address === undefined ? [] : [["x-forwarded-for", address.toString()] as const]),
    ["x-forwarded-proto", scheme],
    ["x-forwarded-host", host],
    ["forwarded", `for=${quotable(node)};host=${quotable(host)};proto=${scheme}`],
    ...(preserveHost ? [["host", host] as const] : []),
  ];
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** A token, else a quoted string: colons and brackets are in no token (RFC 7239 §4, RFC 9110 §5.6). */
function quotable(text: string): string {
  return TOKEN.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Runtimes let differ what `Headers` takes; what goes to the wire has no control characters but the tab (RFC 9110 §5.5). */
function isSendable([name, value]: Field): boolean {
  return TOKEN.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
