import type { Carried } from "../../bridge/carry.ts";
import type { ToolCall } from "../gateway.ts";
import type { OutboundCredential } from "../obtain-credential.ts";
import type { BridgedTool } from "../tool-index.ts";
import { upstreamAuth } from "./upstream-auth.ts";
import { upstreamHeaders } from "./upstream-headers.ts";

/**
 * Everything that one call carries toward its upstream beside the arguments. What identifies the caller wins: the
 * exchanged token over `upstream.auth`, and that over `upstream.headers`.
 */
export function carriedBy(
  { app, open }: Pick<BridgedTool, "app" | "open">,
  { headers }: OutboundCredential,
  { identity, request }: Pick<ToolCall, "identity" | "request">,
): Carried {
  const auth = upstreamAuth(app, open());
  const configured = upstreamHeaders(app.headers ?? [], { identity, requestId: request.requestId });
  return { ...auth, headers: { ...configured, ...auth.headers, ...headers } };
}
