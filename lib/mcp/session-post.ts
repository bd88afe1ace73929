import type { McpStreamConfiguration } from "../config/configuration.ts";
import type { JsonObject } from "../kernel/json.ts";
import { errorMessage, jsonRpcError, REFUSED, RpcError, resultMessage } from "../protocol/mcp/json-rpc.ts";
import type { RpcMessage, RpcRequest } from "../protocol/mcp/message.ts";
import { type AcceptedForms, acceptedForms } from "./accept.ts";
import { type AdmissionPorts, admit } from "./admit.ts";
import type { Caller } from "./caller.ts";
import { exchange } from "./exchange.ts";
import type { DescribingPorts } from "./methods/handshake.ts";
import { initializeResult, readHandshake } from "./methods/handshake.ts";
import { SESSION_METHODS } from "./methods/methods.ts";
import { readBatch, refuseBatch } from "./read-message.ts";
import { mayTakeLong, type RunPorts, runRequests } from "./run-requests.ts";
import { namedRevision, refuseNamedRevision, refuseOtherHeaders } from "./session-headers.ts";
import { type StartPorts, startSession, type UseSessionPorts, useSession } from "./sessions/lifecycle.ts";
import { mayStart, type StartLimitPorts, tooManyStarts } from "./sessions/limits.ts";
import { type NotificationPorts, takeNotifications } from "./sessions/notifications.ts";
import { type ResumptionPorts, resumptionOf } from "./sessions/resume-stream.ts";

export type SessionPostPorts = AdmissionPorts &
  InitializePorts &
  RunPorts &
  NotificationPorts &
  ResumptionPorts &
  UseSessionPorts;

/** A POST of the revisions with a handshake (MCP 2025-11-25, Transports, Sending Messages to the Server). */
export async function sessionPost(
  request: Request,
  body: unknown,
  from: Caller,
  stream: McpStreamConfiguration,
  ports: SessionPostPorts,
): Promise<Response> {
  const forms = acceptedForms(request);
  if (!forms.json && !forms.stream) {
    return jsonRpcError(406, REFUSED, "Accept must name application/json, text/event-stream or both.");
  }
  const messages = readBatch(body);
  if (messages instanceof Response) return messages;
  const mismatch = refuseOtherHeaders(request, messages);
  if (mismatch !== undefined) return mismatch;
  if (isInitialize(messages)) return answerInitialize(messages[0], forms, from, stream, ports);
  const caller = await inSession(request, from, stream, ports);
  if (caller instanceof Response) return caller;
  const refusal = refuseRevision(request, body, caller);
  if (refusal !== undefined) return refusal;
  const admissions = await admit(requestsOf(messages), caller, stream, ports);
  if (admissions instanceof Response) return admissions;
  await takeNotifications(messages, caller, ports);
  const requests = requestsOf(messages);
  if (requests.length === 0) return new Response(null, { status: 202 });
  const logLevel = caller.session?.record.logLevel;
  const options = { requests, methods: SESSION_METHODS, admissions, logLevel, finish: asItIs };
  const work = runRequests(options, caller, ports);
  const isBatch = Array.isArray(body);
  const resumption = isBatch ? undefined : resumptionOf("call", caller, ports);
  return exchange(work, { forms, isLong: mayTakeLong(requests), isBatch, signal: caller.signal, resumption });
}

function isInitialize(messages: readonly RpcMessage[]): messages is readonly [RpcRequest] {
  const [first, ...others] = messages;
  return first?.kind === "request" && first.method === "initialize" && others.length === 0;
}

function requestsOf(messages: readonly RpcMessage[]): readonly RpcRequest[] {
  return messages.filter((message) => message.kind === "request");
}

/** The caller in the session that the request names; as it is where no sessions are kept, or none is named and none is required. */
async function inSession(
  request: Request,
  caller: Caller,
  { session }: McpStreamConfiguration,
  ports: SessionPostPorts,
): Promise<Caller | Response> {
  if (session === undefined) return caller;
  const { headerName, isOptional = false } = session;
  const id = request.headers.get(headerName) ?? undefined;
  if (id === undefined && isOptional) return caller;
  const where = `The ${headerName} header, which the answer to initialize had,`;
  const live = await useSession({ id, where, transport: "stream" }, caller, ports);
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

type InitializePorts = DescribingPorts & StartLimitPorts & StartPorts;

/**
 * Answers `initialize`, with a new session where sessions are kept. A stale id that comes with it is of no interest: this
 * is how clients begin anew.
 */
async function answerInitialize(
  request: RpcRequest,
  forms: AcceptedForms,
  caller: Caller,
  { session }: McpStreamConfiguration,
  ports: InitializePorts,
): Promise<Response> {
  const { operations, signal } = caller;
  const hears = session !== undefined && ports.sessionChannel !== undefined;
  let headers: Readonly<Record<string, string>> = {};
  const answer = async () => {
    const handshake = readHandshake(request);
    const served = { hears, chooses: session !== undefined };
    if (session === undefined)
      return resultMessage(request.id, await initializeResult(handshake, served, caller, ports));
    if (!mayStart(caller, ports)) return tooManyStarts(request.id);
    const start = { ...handshake, transport: "stream", timeout: session.timeout } as const;
    const { id, record } = await startSession(start, caller, ports);
    headers = { [session.headerName]: id };
    const { sessionHash, principal } = record;
    const live = { record, reference: { sessionHash, principal } };
    return resultMessage(request.id, await initializeResult(handshake, served, { ...caller, session: live }, ports));
  };
  const message = await answer().catch((cause: unknown) => {
    if (!(cause instanceof RpcError)) throw cause;
    operations.fail(request.id, String(cause.code));
    return errorMessage(request.id, cause);
  });
  if (message instanceof Response) {
    operations.fail(request.id, String(REFUSED));
    return message;
  }
  return exchange(async ({ answer: send }) => send({ message }), {
    forms,
    isLong: false,
    isBatch: false,
    signal,
    headers,
  });
}
