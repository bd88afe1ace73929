import type { Gateway } from "../gateway/gateway.ts";
import type { JsonObject } from "../json.ts";
import { stackOf } from "../logging/cause.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import type { Admissions } from "./admit.ts";
import type { Caller } from "./caller.ts";
import type { Work } from "./exchange.ts";
import { errorMessage, RpcError, resultMessage, SESSION_NOT_FOUND } from "./json-rpc.ts";
import type { RpcRequest } from "./message.ts";
import { carryOut, type Methods } from "./methods/methods.ts";
import { abortedBySession } from "./sessions/cancellation.ts";

export interface RunOptions {
  readonly requests: readonly RpcRequest[];
  readonly methods: Methods;
  readonly admissions: Admissions;
  readonly logLevel: McpLogLevel | undefined;
  /** What the revision adds to each result. */
  readonly finish: (request: RpcRequest, result: JsonObject) => JsonObject;
}

/**
 * Carries out all requests at the same time. What is cancelled gets no answer (MCP, Cancellation); where somebody else ended
 * the session, its client would wait for one.
 */
export function runRequests(options: RunOptions, caller: Caller, gateway: Gateway): Work {
  const { requests, methods, admissions, logLevel, finish } = options;
  return async (answer, notify, signal) => {
    const run = async (request: RpcRequest): Promise<void> => {
      const cancellation = abortedBySession(request, signal, caller, gateway);
      const context = { ...caller, signal: cancellation.signal, notify, logLevel, admissions };
      const reply = (message: JsonObject): void => {
        const reason = cancellation.reason();
        if (reason === undefined) answer(message);
        else if (reason === "ended" && hasOwnAnswer(caller)) answer(errorMessage(request.id, sessionOver()));
      };
      try {
        const result = finish(request, await carryOut(methods, request, context, gateway));
        reply(resultMessage(request.id, result));
      } catch (cause) {
        if (!(cause instanceof RpcError)) throw cause;
        reply(errorMessage(request.id, cause));
      } finally {
        cancellation.done();
      }
    };
    try {
      await Promise.all(requests.map(run));
    } catch (cause) {
      caller.request.logger.error("mcp answer not sent", { cause: stackOf(cause) });
    }
  };
}

/** On the legacy transport the stream that answers would go out on has ended with the session. */
function hasOwnAnswer({ session }: Caller): boolean {
  return session?.record.transport === "stream";
}

function sessionOver(): RpcError {
  return new RpcError(SESSION_NOT_FOUND, "The session is over.");
}
