import { essence } from "./media-type.ts";

/**
 * A field name as the most lenient upstream compares it: CGI and WSGI make `_` of `-`, some frameworks of `.` as well, so
 * that `X_Remote-User` and `x.remote.user` reach an application as one name.
 */
export function foldedName(name: string): string {
  return name.toLowerCase().replaceAll(/[_.]/g, "-");
}

/** Fields of one connection, folded; what `Connection` names comes to them (RFC 9110 §7.6.1, RFC 2616 §13.5.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Whether the value of `Upgrade` asks for a WebSocket (RFC 6455 section 4.2.1), maybe among other protocols. */
export function namesWebSocket(upgrade: string | null | undefined): boolean {
  return (upgrade ?? "").split(",").some((protocol) => protocol.trim().toLowerCase() === "websocket");
}

/**
 * Whether a browser asks for a page that a person will see, so that it can be sent elsewhere (Fetch Metadata §2.3). Browsers
 * without `Sec-Fetch-Mode` are told by what they accept.
 */
export function isPageRequest(method: string, headers: Headers): boolean {
  if ((method !== "GET" && method !== "HEAD") || namesWebSocket(headers.get("Upgrade"))) return false;
  const mode = headers.get("Sec-Fetch-Mode");
  if (mode !== null) return mode.trim().toLowerCase() === "navigate";
  return (headers.get("Accept") ?? "")
    .split(",")
    .some((range) => essence(range) === "text/html" && !REJECTED.test(range));
}

/** A weight of zero (RFC 9110 §12.4.2). */
const REJECTED = /;\s*q=0(?:\.0*)?\s*(?:;|$)/i;
