import type { McpStreamConfiguration } from "../../config/configuration.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { INVALID_REQUEST, idOf, jsonRpcError, METHOD_NOT_FOUND, RpcError } from "../../protocol/mcp/json-rpc.ts";
import { metaOf, type RpcRequest, readRpcMessage } from "../../protocol/mcp/message.ts";
import { SERVER_INFO } from "../../protocol/mcp/meta.ts";
import { acceptedForms } from "../accept.ts";
import { type AdmissionPorts, admit } from "../admit.ts";
import type { Admissions, Caller } from "../caller.ts";
import { serverInfo } from "../capabilities.ts";
import { exchange } from "../exchange.ts";
import { carriedCall } from "../methods/approval-tasks.ts";
import { STATELESS_METHODS } from "../methods/methods.ts";
import { mayTakeLong, type RunPorts, runRequests } from "../run-requests.ts";
import { type Envelope, readEnvelope, refuseRevision } from "./envelope.ts";
import { refuseMismatch, refuseMissing, refuseOtherParams, refuseOtherProxiedParams } from "./headers.ts";
import { LISTEN, type ListenPorts, listen } from "./listen.ts";

export type StatelessPorts = AdmissionPorts & RunPorts & ListenPorts;

/** Of the other generation: an upstream that speaks it is not asked for them either. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  "initialize",
  "logging/setLevel",
  "ping",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** How long a client may keep a list; it depends on the caller. */
const CACHE = { ttlMs: 60_000, cacheScope: "private" } as const;
const CACHEABLE: ReadonlySet<string> = new Set([
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "server/discover",
  "tools/list",
]);

/** A POST of the revisions without a handshake (MCP 2026-07-28, Transports, Streamable HTTP). */
export async function statelessPost(
  request: Request,
  body: unknown,
  caller: Caller,
  stream: McpStreamConfiguration,
  ports: StatelessPorts,
): Promise<Response> {
  const message = readRpcMessage(body);
  try {
    if (message === undefined || message.kind === "response" || message.kind === "unread") {
      throw new RpcError(INVALID_REQUEST, "The body is not one request or notification of this revision.");
    }
    if (message.kind === "notification") {
      refuseMismatch(request, message);
      return new Response(null, { status: 202 });
    }
    const envelope = readEnvelope(message);
    refuseMismatch(request, message);
    refuseRevision(envelope);
    refuseMissing(request, message);
    return await answer(request, message, envelope, caller, stream, ports);
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    const { code, data } = cause;
    if (message?.kind === "request") caller.operations.fail(message.id, String(code));
    return jsonRpcError(code === METHOD_NOT_FOUND ? 404 : 400, code, cause.message, { id: idOf(body), data });
  }
}

async function answer(
  request: Request,
  message: RpcRequest,
  envelope: Envelope,
  from: Caller,
  stream: McpStreamConfiguration,
  ports: StatelessPorts,
): Promise<Response> {
  const caller = { ...from, envelope };
  if (message.method === LISTEN) return listen(message, caller, ports);
  const isForwarded = ports.proxies.apps.length > 0 && !OF_SESSIONS.has(message.method);
  const isServed = STATELESS_METHODS.has(message.method) || isForwarded;
  if (!isServed) throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
  refuseOtherParams(request, message, ports);
  const decided = await admitted(message, caller, stream, ports);
  if (decided instanceof Response) return decided;
  const { admissions, isCarried } = decided;
  if (!isCarried) refuseOtherProxiedParams(request, admissions.get(message));
  const finish = (_: RpcRequest, result: JsonObject) => finished(message, result, ports);
  const { logLevel } = envelope;
  const options = { requests: [message], methods: STATELESS_METHODS, admissions, logLevel, finish };
  const work = runRequests(options, caller, ports);
  const isLong = mayTakeLong([message]);
  return exchange(work, { forms: acceptedForms(request), isLong, isBatch: false, signal: caller.signal });
}

/** What was decided on the call of a message: its own, or that of the task which it finds approved, whose headers repeat nothing. */
async function admitted(
  message: RpcRequest,
  caller: Caller,
  stream: McpStreamConfiguration,
  ports: StatelessPorts,
): Promise<Response | { readonly admissions: Admissions; readonly isCarried: boolean }> {
  const carried = await carriedCall(message, caller, ports);
  const { message: asked, caller: asking } = carried ?? { message, caller };
  const admissions = await admit([asked], asking, stream, ports);
  if (admissions instanceof Response) return admissions;
  const admission = admissions.get(asked);
  if (carried === undefined || admission === undefined) return { admissions, isCarried: false };
  return { admissions: new Map([[message, admission]]), isCarried: true };
}

/** Every result says that it is whole and whose it is; those that may be kept, for how long. */
function finished({ method }: RpcRequest, result: JsonObject, ports: StatelessPorts): JsonObject {
  return {
    resultType: "complete",
    ...result,
    ...(CACHEABLE.has(method) && CACHE),
    _meta: { ...metaOf(result), [SERVER_INFO]: serverInfo(ports) },
  };
}
