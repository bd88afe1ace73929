import type { McpStreamConfiguration } from "../config/configuration.ts";
import { relayUpstreams } from "../gateway/proxied/relay-upstreams.ts";
import type { SessionPorts } from "../gateway/proxied/session-upstreams.ts";
import { jsonRpcError, REFUSED } from "../protocol/mcp/json-rpc.ts";
import type { SessionChannel } from "../stores/session-channel.ts";
import { acceptedForms } from "./accept.ts";
import { type AgentPorts, agentCaller } from "./agent-side.ts";
import type { Caller } from "./caller.ts";
import { closeWith } from "./event-stream.ts";
import { STREAM_KEEP_ALIVE } from "./exchange.ts";
import { readEventId } from "./resumable-stream.ts";
import { refuseNamedRevision } from "./session-headers.ts";
import { attachStream, type StreamPorts } from "./sessions/attach-stream.ts";
import { type EndingPorts, endSession, type UseSessionPorts, useSession } from "./sessions/lifecycle.ts";
import { openStream, refuseStream, type StreamLimitPorts } from "./sessions/limits.ts";
import { resumeStream } from "./sessions/resume-stream.ts";

export type SessionGetPorts = SessionPorts & AgentPorts & StreamPorts & StreamLimitPorts & UseSessionPorts;

/** Bytes that wait for a client: nothing large goes out unasked. */
const UNREAD_LIMIT = 1024 * 1024;
/** The same where upstreams ask for what they like, such as a model's answer to an image. */
const RELAYED_LIMIT = 16 * 1024 * 1024;

/**
 * GET: the stream on which a session is told what it did not ask for (MCP 2025-11-25, Transports, Listening for Messages
 * from the Server). A later one replaces it: the client that opens it has mostly lost the first. With the id of an event it
 * asks for the stream of a request instead (Resumability and Redelivery); where nobody has that any more, it is this one.
 */
export async function sessionGet(
  request: Request,
  caller: Caller,
  stream: McpStreamConfiguration,
  ports: SessionGetPorts,
): Promise<Response> {
  const { sessionChannel: channel } = ports;
  const { session } = stream;
  if (session === undefined || channel === undefined) return methodNotAllowed(stream, ports);
  if (!acceptedForms(request).stream) return jsonRpcError(406, REFUSED, "Accept must name text/event-stream.");
  const id = request.headers.get(session.headerName) ?? undefined;
  const where = `The ${session.headerName} header`;
  const live = await useSession({ id, where, transport: "stream" }, caller, ports);
  if (live instanceof Response) return live;
  const refusal = refuseNamedRevision(request) ?? refuseStream(caller, ports);
  if (refusal !== undefined) return refusal;
  const limit = ports.proxies.apps.length === 0 ? UNREAD_LIMIT : RELAYED_LIMIT;
  const place = readEventId(request.headers.get("last-event-id"));
  const terms = { keepAlive: STREAM_KEEP_ALIVE, limit };
  const resumed = place && (await resumeStream({ ...terms, place }, live, caller, channel, ports));
  if (resumed !== undefined) return resumed;
  const events = openStream(terms, { ...caller, session: live }, ports);
  closeWith(caller.signal, events);
  const look = relayUpstreams(events, { ...agentCaller(caller, ports), session: live }, ports);
  const onUpstream = () => void look();
  await attachStream(events, live, caller, channel, ports, { interval: STREAM_KEEP_ALIVE, onUpstream });
  await channel.publish(live.reference.sessionHash, { kind: "replaced", by: caller.request.requestId });
  onUpstream();
  return events.response;
}

export type SessionDeletePorts = EndingPorts & UseSessionPorts;

/** DELETE: the client ends its session (MCP 2025-11-25, Transports, Session Management), where it may. */
export async function sessionDelete(
  request: Request,
  caller: Caller,
  stream: McpStreamConfiguration,
  ports: SessionDeletePorts,
): Promise<Response> {
  const { session } = stream;
  if (!session?.allowClientTermination) return methodNotAllowed(stream, ports);
  const id = request.headers.get(session.headerName) ?? undefined;
  const where = `The ${session.headerName} header`;
  const live = await useSession({ id, where, transport: "stream" }, caller, ports);
  if (live instanceof Response) return live;
  const refusal = refuseNamedRevision(request);
  if (refusal !== undefined) return refusal;
  await endSession(live, "client_terminated", caller, ports);
  return new Response(null, { status: 204 });
}

/** Clients take 405 to GET as "no such stream", and to DELETE as "not yours to end" (MCP, Transports). */
export function methodNotAllowed(
  { session }: McpStreamConfiguration,
  { sessionChannel }: { readonly sessionChannel?: SessionChannel | undefined },
): Response {
  const allowed = ["POST"];
  if (session !== undefined && sessionChannel !== undefined) allowed.push("GET");
  if (session?.allowClientTermination) allowed.push("DELETE");
  return jsonRpcError(405, REFUSED, "This method is not served here.", { headers: { allow: allowed.join(", ") } });
}
