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
import { continueStream, type ResumptionPorts, resumeCall, resumptionOf } from "./sessions/resume-stream.ts";

export type SessionGetPorts = SessionPorts &
  AgentPorts &
  ResumptionPorts &
  StreamPorts &
  StreamLimitPorts &
  UseSessionPorts;

/** Bytes that wait for a client: nothing large goes out unasked. */
const UNREAD_LIMIT = 1024 * 1024;
/** The same where upstreams ask for what they like, such as a model's answer to an image, and for what a lost stream has. */
const RELAYED_LIMIT = 16 * 1024 * 1024;

/**
 * GET: the stream on which a session is told what it did not ask for (MCP 2025-11-25, Transports, Listening for Messages
 * from the Server). A later one replaces it: the client that opens it has mostly lost the first. With the id of an event it
 * goes on behind that (Resumability and Redelivery), on the stream of a call or on this one.
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
  const place = readEventId(request.headers.get("last-event-id"));
  const isLong = place !== undefined || ports.proxies.apps.length > 0;
  const terms = { keepAlive: STREAM_KEEP_ALIVE, limit: isLong ? RELAYED_LIMIT : UNREAD_LIMIT };
  if (place?.kind === "call")
    return (await resumeCall(place, terms, live, caller, channel, ports)) ?? nothingLeft(stream, ports);
  const here = { ...caller, session: live };
  const resumption = resumptionOf("session", here, ports);
  const events = openStream(terms, here, ports, resumption);
  // Otherwise its body tells that the client has left.
  if (resumption === undefined || caller.signal.aborted) closeWith(caller.signal, events);
  const { sessionHash } = live.reference;
  const { requestId: by, waitUntil } = caller.request;
  const continued = place?.kind === "session" ? continueStream(place, events, sessionHash, by, channel) : undefined;
  const told = continued?.stream ?? events;
  const look = relayUpstreams(told, { ...agentCaller(caller, ports), session: live }, ports);
  const onUpstream = () => void look();
  const options = { interval: STREAM_KEEP_ALIVE, onUpstream, overhear: continued?.overhear };
  await attachStream(told, live, caller, channel, ports, options);
  if (continued === undefined) await channel.publish(sessionHash, { kind: "replaced", by });
  else waitUntil(continued.takeOver());
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

/**
 * The session's stream in place of a call's would replace the one that the client has, and clients whose call has ended
 * without a result would ask again and again. They take 405 for an answer (MCP, Listening for Messages from the Server).
 */
function nothingLeft(...served: Parameters<typeof methodNotAllowed>): Response {
  const { headers } = methodNotAllowed(...served);
  return jsonRpcError(
    405,
    REFUSED,
    "Nothing is left of this stream. Without Last-Event-ID a GET opens the session's.",
    {
      headers: { allow: headers.get("allow") ?? "" },
    },
  );
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
