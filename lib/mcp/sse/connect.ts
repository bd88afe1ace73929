import type { McpSseConfiguration } from "../../config/configuration.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { relayUpstreams } from "../../gateway/proxied/relay-upstreams.ts";
import { acceptedForms } from "../accept.ts";
import { createMcpEndpoint, type McpEndpoint, type Sender } from "../endpoint.ts";
import { closeWith } from "../event-stream.ts";
import { jsonRpcError, REFUSED } from "../json-rpc.ts";
import { noOperations } from "../operations.ts";
import { SSE_REVISION } from "../revisions.ts";
import { endSession } from "../sessions/end-session.ts";
import { SESSION_PARAMETER } from "../sessions/session-id.ts";
import { attachStream } from "../sessions/session-stream.ts";
import { mayStart, tooManyStarts } from "../sessions/start-limit.ts";
import { startSession } from "../sessions/start-session.ts";
import { openStream, refuseStream } from "../sessions/stream-limit.ts";

/** Bytes that wait for a client: several of the largest results. */
const UNREAD_LIMIT = 32 * 1024 * 1024;
/** Between two looks whether the session goes on, milliseconds. */
const LOOK_INTERVAL = 15_000;

/** GET of the legacy transport (MCP 2024-11-05, Transports, HTTP with SSE): the stream is the session. */
export function createSseConnection(sse: McpSseConfiguration, gateway: Gateway): McpEndpoint {
  return createMcpEndpoint(sse, gateway, async (request, caller) => {
    if (request.method !== "GET") {
      return jsonRpcError(405, REFUSED, "This path is for GET alone.", { headers: { allow: "GET, OPTIONS" } });
    }
    if (!acceptedForms(request).stream) return jsonRpcError(406, REFUSED, "Accept must name text/event-stream.");
    const refusal = refuseStream(caller, gateway);
    if (refusal !== undefined) return refusal;
    if (!mayStart(caller, gateway)) return tooManyStarts(null);
    return connect(sse, caller, request, gateway);
  });
}

async function connect(
  { messagePath, baseURL = "", keepAlive, timeout }: McpSseConfiguration,
  sender: Sender,
  http: Request,
  gateway: Gateway,
): Promise<Response> {
  const { signal } = http;
  const { sessionChannel: channel } = gateway.dependencies;
  // The configuration refuses the transport where no stream can be held open.
  if (channel === undefined) throw new Error("the legacy transport has no channel");
  const start = { transport: "sse", protocolVersion: SSE_REVISION, timeout } as const;
  const unknown = { clientInfo: { name: "", version: "" }, clientCapabilities: {} };
  const { id, record } = await startSession({ ...start, ...unknown }, sender, gateway);
  const { sessionHash, principal } = record;
  const session = { record, reference: { sessionHash, principal } };
  const caller = { ...sender, http, signal, operations: noOperations(sender.request), session };
  const stream = openStream({ keepAlive, limit: UNREAD_LIMIT }, caller, gateway);
  const onEnd = async () => void (await endSession(session, "stream_closed", caller, gateway));
  const look = relayUpstreams(stream, caller, gateway);
  const onUpstream = () => void look();
  await attachStream(stream, session, caller, channel, gateway, { interval: LOOK_INTERVAL, onEnd, onUpstream });
  stream.sendEvent("endpoint", `${baseURL}${messagePath}?${SESSION_PARAMETER}=${id}`);
  closeWith(signal, stream);
  return stream.response;
}
