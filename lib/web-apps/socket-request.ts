import type { AcceptSocket } from "../reverse-proxy/forward.ts";
import { type WebRefusal, webRefusal } from "./refusal.ts";
import type { WebApp, WebRequest } from "./web-apps.ts";
import type { WebCaller } from "./who-asks.ts";

export interface SocketRequestPorts {
  readonly publicURL: URL;
  /** Absent: this runtime has no WebSockets, or the request cannot become one. */
  readonly acceptSocket?: AcceptSocket | undefined;
}

/** Why a request for a WebSocket is none, or cannot be one here (RFC 6455 section 4.2.1); undefined: it is one. */
export function refusedHandshake(
  { request }: WebRequest,
  { acceptSocket }: SocketRequestPorts,
): WebRefusal | undefined {
  const { method, headers } = request;
  const hasBody = headers.has("transfer-encoding") || !/^0*$/.test(headers.get("content-length") ?? "");
  if (method !== "GET" || hasBody) {
    return webRefusal("bad_headers", ({ noHandshake }) => noHandshake);
  }
  if (acceptSocket !== undefined) return undefined;
  return webRefusal("upgrade_not_possible", ({ noSockets }) => noSockets, { upgrade: "websocket" });
}

/**
 * Why a page may not open a WebSocket: browsers send cookies along whosever page it is, and let every page read what comes (RFC 6455
 * section 10.2). Pages of the app's own origin may, and of those in `cors.allowedOrigins`.
 */
export function foreignOrigin(
  { settings }: WebApp,
  { request, host }: WebRequest,
  { publicURL }: SocketRequestPorts,
): WebRefusal | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || settings.allowedOrigins.includes(origin)) return undefined;
  const own = new URL(`${publicURL.protocol}//${host}`).origin;
  return origin === own ? undefined : FOREIGN;
}

/** Without `Origin` it is no browser: then a token is needed, which nobody sends by mistake. */
export function missingOrigin({ request }: WebRequest, { kind }: WebCaller): WebRefusal | undefined {
  return kind === "program" || request.headers.has("origin") ? undefined : NO_ORIGIN;
}

const FOREIGN = webRefusal("forbidden", ({ foreignSocket }) => foreignSocket);
const NO_ORIGIN = webRefusal("forbidden", ({ noOrigin }) => noOrigin);
