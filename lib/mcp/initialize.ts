import type { McpStreamConfiguration } from "../config/configuration.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { AcceptedForms } from "./accept.ts";
import type { Caller } from "./caller.ts";
import { exchange } from "./exchange.ts";
import { errorMessage, REFUSED, RpcError, resultMessage } from "./json-rpc.ts";
import type { RpcRequest } from "./message.ts";
import { initializeResult, readHandshake } from "./methods/initialize.ts";
import { mayStart, tooManyStarts } from "./sessions/start-limit.ts";
import { startSession } from "./sessions/start-session.ts";

/**
 * Answers `initialize`, with a new session where sessions are kept. A stale id that comes with it is of no interest: this
 * is how clients begin anew.
 */
export async function answerInitialize(
  request: RpcRequest,
  forms: AcceptedForms,
  caller: Caller,
  { session }: McpStreamConfiguration,
  gateway: Gateway,
): Promise<Response> {
  const { operations, signal } = caller;
  const hears = session !== undefined && gateway.dependencies.sessionChannel !== undefined;
  let headers: Readonly<Record<string, string>> = {};
  const answer = async () => {
    const handshake = readHandshake(request);
    const served = { hears, chooses: session !== undefined };
    if (session === undefined)
      return resultMessage(request.id, await initializeResult(handshake, served, caller, gateway));
    if (!mayStart(caller, gateway)) return tooManyStarts(request.id);
    const start = { ...handshake, transport: "stream", timeout: session.timeout } as const;
    const { id, record } = await startSession(start, caller, gateway);
    headers = { [session.headerName]: id };
    const { sessionHash, principal } = record;
    const live = { record, reference: { sessionHash, principal } };
    return resultMessage(request.id, await initializeResult(handshake, served, { ...caller, session: live }, gateway));
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
