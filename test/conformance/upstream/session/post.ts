import type { IncomingMessage, ServerResponse } from "node:http";
import type { Changes } from "../changes.ts";
import { header, refuse, sendError } from "../http.ts";
import { INVALID_REQUEST, RpcError, type RpcMessage, type RpcNotification, type RpcRequest } from "../json-rpc.ts";
import { answer } from "./answer.ts";
import { initialize } from "./initialize.ts";
import { isRefusal, requireSession } from "./require-session.ts";
import type { Session, Sessions } from "./session.ts";

/** A POST of the revisions with a handshake (MCP 2025-11-25, Transports, Sending Messages to the Server). */
export async function sessionPost(
  request: IncomingMessage,
  message: RpcMessage,
  response: ServerResponse,
  sessions: Sessions,
  changes: Changes,
): Promise<void> {
  if (message.kind === "request" && message.method === "initialize") {
    if (header(request, "mcp-session-id") === undefined) initialize(message, response, sessions, changes);
    else refuse(response, 400, "The session is initialized already.");
    return;
  }
  const session = requireSession(request, sessions);
  if (isRefusal(session)) return refuse(response, session.status, session.message);
  if (message.kind === "request") return answerOrRefuse(message, response, session, changes);
  if (message.kind === "notification") takeNote(message, session);
  else {
    const waiting = session.asked.get(message.id);
    if (waiting === undefined) return refuse(response, 400, `Nothing was asked with the id ${message.id}.`);
    waiting(message);
  }
  response.writeHead(202).end();
}

async function answerOrRefuse(
  request: RpcRequest,
  response: ServerResponse,
  session: Session,
  changes: Changes,
): Promise<void> {
  const { id, method } = request;
  const refused = (message: string) => sendError(response, 400, new RpcError(INVALID_REQUEST, message), id);
  if (!session.isInitialized && method !== "ping") return refused("notifications/initialized has not come yet.");
  if (session.running.has(id)) return refused(`The id ${id} is being answered already.`);
  await answer(request, response, session, changes);
}

function takeNote({ method, params }: RpcNotification, session: Session): void {
  if (method === "notifications/initialized") session.isInitialized = true;
  const { requestId } = params;
  if (method !== "notifications/cancelled" || (typeof requestId !== "string" && typeof requestId !== "number")) return;
  session.running.get(requestId)?.abort();
}
