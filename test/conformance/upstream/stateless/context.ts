import type { ServerResponse } from "node:http";
import type { Changes } from "../changes.ts";
import { isLoggedAt, type RequestContext } from "../context.ts";
import type { RpcRequest } from "../json-rpc.ts";
import { demandTasks, knowsTasks } from "../tasks/extension.ts";
import { startTask, type Tasks } from "../tasks/task.ts";
import type { AnswerForm } from "./answer-form.ts";
import { askByResult, readInput } from "./input.ts";
import type { Envelope } from "./meta.ts";
import type { RequestStates } from "./request-state.ts";

/** What outlasts a request. */
export interface StatelessServer {
  readonly states: RequestStates;
  readonly tasks: Tasks;
  readonly changes: Changes;
}

/** What a method may do while its answer is awaited. @throws RpcError for input that is none, or not this request's */
export function statelessContext(
  message: RpcRequest,
  { clientCapabilities, logLevel }: Envelope,
  { notify }: AnswerForm,
  response: ServerResponse,
  { states, tasks, changes }: StatelessServer,
): RequestContext {
  const input = readInput(message, states);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const ask = askByResult(input, clientCapabilities);
  return {
    id: message.id,
    params: message.params,
    clientCapabilities,
    state: input.state ?? {},
    changes,
    signal: gone.signal,
    notify,
    log: (level, data) => {
      if (logLevel !== undefined && isLoggedAt(level, logLevel)) notify("notifications/message", { level, data });
    },
    ask,
    inTask: async (work, options) => {
      if (options?.isRequired) demandTasks(clientCapabilities);
      if (!knowsTasks(clientCapabilities)) return work({ signal: gone.signal, ask });
      return { resultType: "task", ...startTask(work, tasks).base() };
    },
    // A stream of this revision cannot be resumed.
    hangUp: () => undefined,
  };
}
