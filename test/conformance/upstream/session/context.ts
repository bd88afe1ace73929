import { refuseUndeclared } from "../capability-check.ts";
import type { Changes } from "../changes.ts";
import { type InputRequests, isLoggedAt, type RequestContext } from "../context.ts";
import {
  INTERNAL_ERROR,
  isObject,
  type JsonObject,
  notificationMessage,
  RpcError,
  type RpcRequest,
  type RpcResponse,
} from "../json-rpc.ts";
import { demandTasks } from "../tasks/extension.ts";
import type { ReplayableStream } from "./replayable-stream.ts";
import type { Session } from "./session.ts";

/** What a method may do while its answer's stream is open. Without a stream it tells and asks nothing. */
export function sessionContext(
  { id, params }: RpcRequest,
  session: Session,
  stream: ReplayableStream | undefined,
  signal: AbortSignal,
  changes: Changes,
): RequestContext {
  const { clientCapabilities } = session;
  const notify = (method: string, told: JsonObject) => stream?.send(notificationMessage(method, told));
  const ask = async (requests: InputRequests) => {
    refuseUndeclared(clientCapabilities, requests);
    const answers = Object.entries(requests).map(
      async ([key, request]) => [key, await askClient(request, session, stream, signal)] as const,
    );
    return Object.fromEntries(await Promise.all(answers));
  };
  return {
    id,
    params,
    clientCapabilities,
    state: {},
    changes,
    signal,
    notify,
    log: (level, data) => {
      if (isLoggedAt(level, session.level)) notify("notifications/message", { level, data });
    },
    ask,
    inTask: async (work, options) => {
      if (options?.isRequired) demandTasks({});
      return work({ signal, ask });
    },
    hangUp: () => stream?.hangUp(),
  };
}

/** Sends one request to the client on the stream of the request that it is asked for. */
async function askClient(
  { method, params }: InputRequests[string],
  session: Session,
  stream: ReplayableStream | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const id = session.nextNumber();
  const { promise, resolve, reject } = Promise.withResolvers<RpcResponse>();
  const giveUp = () => reject(new RpcError(INTERNAL_ERROR, "The request was cancelled."));
  session.asked.set(id, resolve);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    stream?.send({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await promise;
    if (isObject(result)) return result;
    throw new RpcError(INTERNAL_ERROR, `The client answered ${method} with ${JSON.stringify(error ?? result)}.`);
  } finally {
    signal.removeEventListener("abort", giveUp);
    session.asked.delete(id);
  }
}
