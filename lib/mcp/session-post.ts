import type { McpStreamConfiguration } from "../config/configuration.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { JsonObject } from "../json.ts";
import { acceptedForms } from "./accept.ts";
import { admit } from "./admit.ts";
import { answerTime } from "./answer-time.ts";
import { readBatch, refuseBatch } from "./batch.ts";
import type { Caller } from "./caller.ts";
import { exchange } from "./exchange.ts";
import { answerInitialize } from "./initialize.ts";
import { jsonRpcError, REFUSED } from "./json-rpc.ts";
import type { RpcMessage, RpcRequest } from "./message.ts";
import { SESSION_METHODS } from "./methods/methods.ts";
import { refuseOtherHeaders } from "./other-headers.ts";
import { namedRevision, refuseNamedRevision } from "./revision-header.ts";
import { runRequests } from "./run-requests.ts";
import { takeNotifications } from "./sessions/notifications.ts";
import { useSession } from "./sessions/use-session.ts";

/** A POST of the revisions with a handshake (MCP 2025-11-25, Transports, Sending Messages to the Server). */
export async function sessionPost(
  request: Request,
  body: unknown,
  from: Caller,
  stream: McpStreamConfiguration,
  gateway: Gateway,
): Promise<Response> {
  const forms = acceptedForms(request);
  if (!forms.json && !forms.stream) {
    return jsonRpcError(406, REFUSED, "Accept must name application/json, text/event-stream or both.");
  }
  const messages = readBatch(body);
  if (messages instanceof Response) return messages;
  const mismatch = refuseOtherHeaders(request, messages);
  if (mismatch !== undefined) return mismatch;
  if (isInitialize(messages)) return answerInitialize(messages[0], forms, from, stream, gateway);
  const caller = await inSession(request, from, stream, gateway);
  if (caller instanceof Response) return caller;
  const refusal = refuseRevision(request, body, caller);
  if (refusal !== undefined) return refusal;
  const admissions = await admit(requestsOf(messages), caller, stream, gateway);
  if (admissions instanceof Response) return admissions;
  await takeNotifications(messages, caller, gateway);
  const requests = requestsOf(messages);
  if (requests.length === 0) return new Response(null, { status: 202 });
  const logLevel = caller.session?.record.logLevel;
  const options = { requests, methods: SESSION_METHODS, admissions, logLevel, finish: asItIs };
  const work = runRequests(options, caller, gateway);
  const isLong = answerTime(requests, admissions, gateway);
  return exchange(work, { forms, isLong, isBatch: Array.isArray(body), signal: caller.signal });
}

function isInitialize(messages: readonly RpcMessage[]): messages is readonly [RpcRequest] {
  const [first, ...others] = messages;
  return first?.kind === "request" && first.method === "initialize" && others.length === 0;
}

function requestsOf(messages: readonly RpcMessage[]): readonly RpcRequest[] {
  return messages.filter((message) => message.kind === "request");
}

/** The caller in the session that the request names; as it is where no sessions are kept. */
async function inSession(
  request: Request,
  caller: Caller,
  { session }: McpStreamConfiguration,
  gateway: Gateway,
): Promise<Caller | Response> {
  if (session === undefined) return caller;
  const { headerName } = session;
  const id = request.headers.get(headerName) ?? undefined;
  const where = `The ${headerName} header, which the answer to initialize had,`;
  const live = await useSession({ id, where, transport: "stream" }, caller, gateway);
  return live instanceof Response ? live : { ...caller, session: live };
}

/** Batches are of one revision: the session's own. */
function refuseRevision(request: Request, body: unknown, { session }: Caller): Response | undefined {
  const refusal = refuseNamedRevision(request);
  if (refusal !== undefined || !Array.isArray(body)) return refusal;
  return refuseBatch(session?.record.protocolVersion ?? namedRevision(request));
}

function asItIs(_: RpcRequest, result: JsonObject): JsonObject {
  return result;
}
