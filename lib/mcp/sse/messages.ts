import type { McpSseConfiguration } from "../../config/configuration.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { JsonObject } from "../../json.ts";
import { type Admissions, admit } from "../admit.ts";
import type { Caller } from "../caller.ts";
import { createMcpEndpoint, type McpEndpoint } from "../endpoint.ts";
import { INVALID_REQUEST, idOf, jsonRpcError, REFUSED } from "../json-rpc.ts";
import { type RpcRequest, readRpcMessage } from "../message.ts";
import { startOperations } from "../operations.ts";
import { refuseOtherHeaders } from "../other-headers.ts";
import { readMessage } from "../read-message.ts";
import { runRequests } from "../run-requests.ts";
import { takeNotifications } from "../sessions/notifications.ts";
import { SESSION_PARAMETER } from "../sessions/session-id.ts";
import { useSession } from "../sessions/use-session.ts";
import { SSE_METHODS } from "./methods.ts";
import { sessionOutlet } from "./session-outlet.ts";

/** POST of the legacy transport: 202, and the answer goes out on the session's stream. */
export function createSseMessages(sse: McpSseConfiguration, gateway: Gateway): McpEndpoint {
  return createMcpEndpoint(sse, gateway, async (request, sender) => {
    if (request.method !== "POST") {
      return jsonRpcError(405, REFUSED, "This path is for POST alone.", { headers: { allow: "POST, OPTIONS" } });
    }
    const id = new URL(request.url).searchParams.get(SESSION_PARAMETER) ?? undefined;
    const where = `The parameter ${SESSION_PARAMETER}`;
    const session = await useSession({ id, where, transport: "sse" }, sender, gateway);
    if (session instanceof Response) return session;
    const body = await readMessage(request);
    if (body instanceof Response) return body;
    const operations = startOperations(body.message, request.headers, sender, gateway);
    // The request ends long before its answer does: what ends that is the session.
    const { signal } = new AbortController();
    const caller = { ...sender, http: request, signal, operations, session, text: body.text };
    const response = await take(request, body.message, caller, sse, gateway);
    operations.answered(response.status);
    return response;
  });
}

async function take(
  request: Request,
  body: unknown,
  caller: Caller,
  sse: McpSseConfiguration,
  gateway: Gateway,
): Promise<Response> {
  const message = readRpcMessage(body);
  if (message === undefined) {
    return jsonRpcError(400, INVALID_REQUEST, "The body is not a JSON-RPC message of MCP.", { id: idOf(body) });
  }
  const mismatch = refuseOtherHeaders(request, [message]);
  if (mismatch !== undefined) return mismatch;
  if (message.kind === "request") {
    const admissions = await admit([message], caller, sse, gateway);
    if (admissions instanceof Response) return admissions;
    caller.request.waitUntil(answer(message, admissions, caller, gateway));
  } else {
    await takeNotifications([message], caller, gateway);
  }
  return new Response("Accepted", { status: 202, headers: { "cache-control": "no-store" } });
}

async function answer(message: RpcRequest, admissions: Admissions, caller: Caller, gateway: Gateway): Promise<void> {
  const logLevel = caller.session?.record.logLevel;
  const finish = (_: RpcRequest, result: JsonObject) => result;
  const options = { requests: [message], methods: SSE_METHODS, admissions, logLevel, finish };
  const work = runRequests(options, caller, gateway);
  const { outlet, sent } = sessionOutlet(caller, gateway);
  await work(outlet, caller.signal);
  await sent();
}
