import type { ServerResponse } from "node:http";
import type { Changes } from "../changes.ts";
import { METHODS } from "../features/methods.ts";
import { sendJson } from "../http.ts";
import {
  errorMessage,
  INTERNAL_ERROR,
  type JsonObject,
  METHOD_NOT_FOUND,
  RpcError,
  type RpcRequest,
  resultMessage,
} from "../json-rpc.ts";
import { sessionContext } from "./context.ts";
import { PRIMING_REVISION } from "./initialize.ts";
import { isStreamed, SESSION_METHODS } from "./methods.ts";
import type { ReplayableStream } from "./replayable-stream.ts";
import { openStream, type Session } from "./session.ts";

/** Answers one request of a session, on an event stream where the method may need one. */
export async function answer(
  request: RpcRequest,
  response: ServerResponse,
  session: Session,
  changes: Changes,
): Promise<void> {
  const cancelled = new AbortController();
  session.running.set(request.id, cancelled);
  const stream = isStreamed(request) ? openStream(session).stream : undefined;
  stream?.attach(response, { seen: 0, primed: session.protocolVersion === PRIMING_REVISION });
  const message = await run(request, session, stream, cancelled.signal, changes);
  session.running.delete(request.id);
  if (stream === undefined) sendJson(response, 200, message);
  else if (!cancelled.signal.aborted) stream.send(message);
  stream?.end();
}

async function run(
  request: RpcRequest,
  session: Session,
  stream: ReplayableStream | undefined,
  signal: AbortSignal,
  changes: Changes,
): Promise<JsonObject> {
  const { id, method, params } = request;
  try {
    const own = SESSION_METHODS.get(method);
    if (own !== undefined) {
      own(params, session);
      return resultMessage(id, {});
    }
    const shared = METHODS.get(method);
    if (shared === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    return resultMessage(id, await shared(sessionContext(request, session, stream, signal, changes)));
  } catch (cause) {
    const error = cause instanceof RpcError ? cause : new RpcError(INTERNAL_ERROR, String(cause));
    return errorMessage(id, error);
  }
}
