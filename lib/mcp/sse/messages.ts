import type { McpSseConfiguration } from "../../config/configuration.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import {
  INVALID_REQUEST,
  idOf,
  jsonRpcError,
  REFUSED,
  RpcError,
  SESSION_NOT_FOUND,
} from "../../protocol/mcp/json-rpc.ts";
import { type RpcRequest, readRpcMessage } from "../../protocol/mcp/message.ts";
import { SESSION_PARAMETER } from "../../protocol/mcp/session-id.ts";
import type { SessionChannel, SessionSignal } from "../../stores/session-channel.ts";
import { type AdmissionPorts, admit } from "../admit.ts";
import { type Admissions, type Caller, type LiveSession, resultAnswer } from "../caller.ts";
import { createMcpEndpoint, type EndpointPorts, type McpEndpoint } from "../endpoint.ts";
import { type Handshake, initializeResult, readHandshake } from "../methods/handshake.ts";
import { type Method, type MethodPorts, type Methods, SESSION_METHODS } from "../methods/methods.ts";
import type { CalleePorts } from "../operations.ts";
import { startOperations } from "../operations.ts";
import type { Answer, Outlet } from "../outlet.ts";
import { collectAnswer } from "../outlet.ts";
import { type RoomPorts, readMessage } from "../read-message.ts";
import { type RunPorts, runRequests } from "../run-requests.ts";
import { refuseOtherHeaders } from "../session-headers.ts";
import { type UseSessionPorts, useSession } from "../sessions/lifecycle.ts";
import { type NotificationPorts, takeNotifications } from "../sessions/notifications.ts";

export type SseMessagePorts = EndpointPorts &
  AdmissionPorts &
  CalleePorts &
  RoomPorts &
  RunPorts &
  NotificationPorts &
  UseSessionPorts;

/** POST of the legacy transport: 202, and the answer goes out on the session's stream. */
export function createSseMessages(sse: McpSseConfiguration, ports: SseMessagePorts): McpEndpoint {
  return createMcpEndpoint(sse, ports, async (request, sender) => {
    if (request.method !== "POST") {
      return jsonRpcError(405, REFUSED, "This path is for POST alone.", { headers: { allow: "POST, OPTIONS" } });
    }
    const id = new URL(request.url).searchParams.get(SESSION_PARAMETER) ?? undefined;
    const where = `The parameter ${SESSION_PARAMETER}`;
    const session = await useSession({ id, where, transport: "sse" }, sender, ports);
    if (session instanceof Response) return session;
    const body = await readMessage(request, sender, ports);
    if (body instanceof Response) return body;
    // Its answer goes another way; what waits for it is bounded there.
    body.place.leave();
    const operations = startOperations(body.message, request.headers, sender, ports);
    // The request ends long before its answer does: what ends that is the session.
    const { signal } = new AbortController();
    const caller = { ...sender, http: request, signal, operations, session, text: body.text };
    const response = await take(request, body.message, caller, sse, ports);
    operations.answered(response.status);
    return response;
  });
}

async function take(
  request: Request,
  body: unknown,
  caller: Caller,
  sse: McpSseConfiguration,
  ports: SseMessagePorts,
): Promise<Response> {
  const message = readRpcMessage(body);
  if (message === undefined) {
    return jsonRpcError(400, INVALID_REQUEST, "The body is not a JSON-RPC message of MCP.", { id: idOf(body) });
  }
  const mismatch = refuseOtherHeaders(request, [message]);
  if (mismatch !== undefined) return mismatch;
  if (message.kind === "request") {
    const admissions = await admit([message], caller, sse, ports);
    if (admissions instanceof Response) return admissions;
    caller.request.waitUntil(answer(message, admissions, caller, ports));
  } else {
    await takeNotifications([message], caller, ports);
  }
  return new Response("Accepted", { status: 202, headers: { "cache-control": "no-store" } });
}

async function answer(
  message: RpcRequest,
  admissions: Admissions,
  caller: Caller,
  ports: SseMessagePorts,
): Promise<void> {
  const logLevel = caller.session?.record.logLevel;
  const finish = (_: RpcRequest, result: JsonObject) => result;
  const options = { requests: [message], methods: SSE_METHODS, admissions, logLevel, finish };
  const work = runRequests(options, caller, ports);
  const { outlet, sent } = sessionOutlet(caller, ports);
  await work(outlet, caller.signal);
  await sent();
}

/** The stream is the session, so that its handshake begins nothing more: the session learns whose it is. */
const initialize: Method = async (request, caller, ports) => {
  const handshake = readHandshake(request);
  // Sessions at upstreams begin with the answer, and tell them who the client is and what it can be asked.
  const session = caller.session && (await introduced(caller.session, handshake, ports));
  const served = { hears: true, chooses: true };
  return resultAnswer(await initializeResult(handshake, served, { ...caller, session }, ports));
};

const SSE_METHODS: Methods = new Map([...SESSION_METHODS, ["initialize", initialize]]);

/** The session with what its client says of itself, which is written down. @throws RpcError when it is over */
async function introduced(
  { reference, record }: LiveSession,
  { clientInfo, clientCapabilities }: Handshake,
  { stores, clock }: MethodPorts,
): Promise<LiveSession> {
  const introduction = { clientInfo, clientCapabilities };
  if (!(await stores.mcpSessions.introduce(reference, introduction, clock.now()))) {
    throw new RpcError(SESSION_NOT_FOUND, "The session is over.");
  }
  return { reference, record: { ...record, ...introduction } };
}

/** What comes of requests goes out on the stream of their session, wherever that is held. */
interface SessionOutlet {
  readonly outlet: Outlet;
  /** Resolves when all of it is out. */
  sent(): Promise<void>;
}

export function sessionOutlet(
  { session, request }: Pick<Caller, "session" | "request">,
  { sessionChannel }: { readonly sessionChannel?: SessionChannel | undefined },
): SessionOutlet {
  const publish = async (signal: SessionSignal, isAnswer: boolean): Promise<void> => {
    const heard = await sessionChannel?.publish(session?.reference.sessionHash ?? "", signal);
    if (heard === 0) request.logger.warn("mcp message reached nobody", { isAnswer });
  };
  // In the order in which they came about, and each before the next.
  let sent = Promise.resolve();
  const send = (signal: SessionSignal, isAnswer: boolean): void => {
    sent = sent
      .then(() => publish(signal, isAnswer))
      .catch((cause: unknown) => {
        request.logger.error("mcp message not sent", { cause: causeOf(cause) });
      });
  };
  const answer = (one: Answer) =>
    send("text" in one ? { kind: "text", text: one.text } : { kind: "message", message: one.message }, true);
  return {
    outlet: {
      answer,
      relay: (message) => send({ kind: "message", message }, false),
      openAnswer: (id) => collectAnswer(id, answer),
      hears: true,
    },
    sent: () => sent,
  };
}
