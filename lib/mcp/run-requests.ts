import type { Gateway } from "../gateway/gateway.ts";
import type { JsonObject } from "../json.ts";
import { stackOf } from "../logging/cause.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import type { Caller } from "./caller.ts";
import type { Work } from "./exchange.ts";
import { errorMessage, RpcError, resultMessage } from "./json-rpc.ts";
import type { RpcRequest } from "./message.ts";
import { carryOut, type Methods } from "./methods/methods.ts";
import { abortedBySession } from "./sessions/cancellation.ts";

export interface RunOptions {
  readonly requests: readonly RpcRequest[];
  readonly methods: Methods;
  readonly logLevel: McpLogLevel | undefined;
  /** What the revision adds to each result. */
  readonly finish: (request: RpcRequest, result: JsonObject) => JsonObject;
}

/** Carries out all requests at the same time; what is cancelled gets no answer (MCP, Cancellation). */
export function runRequests(options: RunOptions, caller: Caller, gateway: Gateway): Work {
  const { requests, methods, logLevel, finish } = options;
  return async (answer, notify, signal) => {
    const run = async (request: RpcRequest): Promise<void> => {
      const cancellation = abortedBySession(request, signal, caller, gateway);
      const context = { ...caller, signal: cancellation.signal, notify, logLevel };
      try {
        const result = finish(request, await carryOut(methods, request, context, gateway));
        if (!cancellation.isCancelled()) answer(resultMessage(request.id, result));
      } catch (cause) {
        if (!(cause instanceof RpcError)) throw cause;
        if (!cancellation.isCancelled()) answer(errorMessage(request.id, cause));
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
