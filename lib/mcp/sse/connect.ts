import type { McpSseConfiguration } from "../../config/configuration.ts";
import { relayUpstreams } from "../../gateway/proxied/relay-upstreams.ts";
import { jsonRpcError, REFUSED } from "../../protocol/mcp/json-rpc.ts";
import { SSE_REVISION } from "../../protocol/mcp/revisions.ts";
import { SESSION_PARAMETER } from "../../protocol/mcp/session-id.ts";
import { acceptedForms } from "../accept.ts";
import { agentCaller } from "../agent-side.ts";
import { createMcpEndpoint, type EndpointPorts, type McpEndpoint, type Sender } from "../endpoint.ts";
import { closeWith } from "../event-stream.ts";
import { noOperations } from "../operations.ts";
import { attachStream, type StreamPorts } from "../sessions/attach-stream.ts";
import { type EndingPorts, endSession, type StartPorts, startSession } from "../sessions/lifecycle.ts";
import {
  mayStart,
  openStream,
  refuseStream,
  type StartLimitPorts,
  type StreamLimitPorts,
  tooManyStarts,
} from "../sessions/limits.ts";

export type ConnectPorts = EndpointPorts & EndingPorts & StreamPorts & StartLimitPorts & StartPorts & StreamLimitPorts;

/** Bytes that wait for a client: several of the largest results. */
const UNREAD_LIMIT = 32 * 1024 * 1024;
/** Between two looks whether the session goes on, milliseconds. */
const LOOK_INTERVAL = 15_000;

/** GET of the legacy transport (MCP 2024-11-05, Transports, HTTP with SSE): the stream is the session. */
export function createSseConnection(sse: McpSseConfiguration, ports: ConnectPorts): McpEndpoint {
  return createMcpEndpoint(sse, ports, async (request, caller) => {
    if (request.method !== "GET") {
      return jsonRpcError(405, REFUSED, "This path is for GET alone.", { headers: { allow: "GET, OPTIONS" } });
    }
    if (!acceptedForms(request).stream) return jsonRpcError(406, REFUSED, "Accept must name text/event-stream.");
    const refusal = refuseStream(caller, ports);
    if (refusal !== undefined) return refusal;
    if (!mayStart(caller, ports)) return tooManyStarts(null);
    return connect(sse, caller, request, ports);
  });
}

async function connect(
  { messagePath, baseURL = "", keepAlive, timeout }: McpSseConfiguration,
  sender: Sender,
  http: Request,
  ports: ConnectPorts,
): Promise<Response> {
  const { signal } = http;
  const { sessionChannel: channel } = ports;
  // The configuration refuses the transport where no stream can be held open.
  if (channel === undefined) throw new Error("the legacy transport has no channel");
  const start = { transport: "sse", protocolVersion: SSE_REVISION, timeout } as const;
  const unknown = { clientInfo: { name: "", version: "" }, clientCapabilities: {} };
  const { id, record } = await startSession({ ...start, ...unknown }, sender, ports);
  const { sessionHash, principal } = record;
  const session = { record, reference: { sessionHash, principal } };
  const caller = { ...sender, http, signal, operations: noOperations(sender.request), session };
  const stream = openStream({ keepAlive, limit: UNREAD_LIMIT }, caller, ports);
  const onEnd = async () => void (await endSession(session, "stream_closed", caller, ports));
  const look = relayUpstreams(stream, agentCaller(caller, ports), ports);
  const onUpstream = () => void look();
  await attachStream(stream, session, caller, channel, ports, { interval: LOOK_INTERVAL, onEnd, onUpstream });
  stream.sendEvent("endpoint", `${baseURL}${messagePath}?${SESSION_PARAMETER}=${id}`);
  closeWith(signal, stream);
  return stream.response;
}
