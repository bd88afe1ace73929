import type { McpStreamConfiguration } from "../config/configuration.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { relayUpstreams } from "../gateway/proxied/relay-upstreams.ts";
import { acceptedForms } from "./accept.ts";
import type { Caller } from "./caller.ts";
import { closeWith } from "./event-stream.ts";
import { STREAM_KEEP_ALIVE } from "./exchange.ts";
import { jsonRpcError, REFUSED } from "./json-rpc.ts";
import { methodNotAllowed } from "./method-not-allowed.ts";
import { refuseNamedRevision } from "./revision-header.ts";
import { attachStream } from "./sessions/session-stream.ts";
import { openStream, refuseStream } from "./sessions/stream-limit.ts";
import { useSession } from "./sessions/use-session.ts";

/** Bytes that wait for a client: nothing large goes out unasked. */
const UNREAD_LIMIT = 1024 * 1024;
/** The same where upstreams ask for what they like, such as a model's answer to an image. */
const RELAYED_LIMIT = 16 * 1024 * 1024;

/**
 * GET: the stream on which a session is told what it did not ask for (MCP 2025-11-25, Transports, Listening for Messages
 * from the Server). A later one replaces it: the client that opens it has mostly lost the first.
 */
export async function sessionGet(
  request: Request,
  caller: Caller,
  stream: McpStreamConfiguration,
  gateway: Gateway,
): Promise<Response> {
  const { sessionChannel: channel } = gateway.dependencies;
  const { session } = stream;
  if (session === undefined || channel === undefined) return methodNotAllowed(stream, gateway);
  if (!acceptedForms(request).stream) return jsonRpcError(406, REFUSED, "Accept must name text/event-stream.");
  const id = request.headers.get(session.headerName) ?? undefined;
  const where = `The ${session.headerName} header`;
  const live = await useSession({ id, where, transport: "stream" }, caller, gateway);
  if (live instanceof Response) return live;
  const refusal = refuseNamedRevision(request) ?? refuseStream(caller, gateway);
  if (refusal !== undefined) return refusal;
  const limit = gateway.proxies.apps.length === 0 ? UNREAD_LIMIT : RELAYED_LIMIT;
  const events = openStream({ keepAlive: STREAM_KEEP_ALIVE, limit }, caller, gateway);
  closeWith(caller.signal, events);
  const look = relayUpstreams(events, { ...caller, session: live }, gateway);
  const onUpstream = () => void look();
  await attachStream(events, live, caller, channel, gateway, { interval: STREAM_KEEP_ALIVE, onUpstream });
  await channel.publish(live.reference.sessionHash, { kind: "replaced", by: caller.request.requestId });
  onUpstream();
  return events.response;
}
