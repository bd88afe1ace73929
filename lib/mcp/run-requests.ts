import type { JsonObject } from "../kernel/json.ts";
import { stackOf } from "../logging/cause.ts";
import {
  errorMessage,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  notificationMessage,
  REFUSED,
  RpcError,
  resultMessage,
  SESSION_NOT_FOUND,
} from "../protocol/mcp/json-rpc.ts";
import type { RpcRequest } from "../protocol/mcp/message.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import type { Admissions, Caller, MethodContext } from "./caller.ts";
import { carryOut, type MethodPorts, type Methods } from "./methods/methods.ts";
import type { Answer, OpenAnswer, Outlet, Work } from "./outlet.ts";
import { type CancellationPorts, cancellable } from "./sessions/cancellation.ts";

export type RunPorts = MethodPorts & CancellationPorts;

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
export function runRequests(options: RunOptions, caller: Caller, ports: RunPorts): Work {
  return async (outlet, signal) => {
    try {
      await Promise.all(options.requests.map((request) => run(request, options, outlet, { ...caller, signal }, ports)));
    } catch (cause) {
      caller.request.logger.error("mcp answer not sent", { cause: stackOf(cause) });
    }
  };
}

async function run(
  request: RpcRequest,
  { methods, admissions, logLevel, finish }: RunOptions,
  outlet: Outlet,
  caller: Caller,
  ports: RunPorts,
): Promise<void> {
  const { id } = request;
  const cancellation = cancellable(request, caller.signal, caller, admissions.get(request), ports);
  const opened = openedAnswer(request, outlet);
  const context = { ...caller, ...contextOf(outlet), signal: cancellation.signal, admissions, logLevel };
  const settle = (send: () => void): void => {
    const reason = cancellation.reason();
    if (reason === undefined) send();
    else opened.withdraw();
    if (reason === "ended" && hasOwnAnswer(caller)) outlet.answer({ message: errorMessage(id, sessionOver()) });
    if (reason === "stopped") outlet.answer({ message: errorMessage(id, stopped()) });
  };
  const reply = (answer: Answer): void =>
    settle(() => {
      opened.withdraw();
      outlet.answer(answer);
    });
  try {
    const made = await carryOut(methods, request, { ...context, openAnswer: opened.open }, ports);
    if (made.kind === "written") settle(() => made.answer.commit());
    else reply(made.kind === "message" ? made : { message: resultMessage(id, finish(request, made.result)) });
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    reply({ message: errorMessage(id, cause), status: statusOf(cause, caller) });
  } finally {
    cancellation.done();
  }
}

function contextOf({ relay, hears }: Outlet): Pick<MethodContext, "relay" | "hears" | "notify"> {
  return { relay, hears, notify: (method, params) => relay(notificationMessage(method, params)) };
}

/** MCP 2026-07-28, Transports: what nobody serves is not found, and what takes a capability that was not declared is a bad request. */
function statusOf({ code }: RpcError, { envelope }: Caller): number | undefined {
  if (envelope === undefined) return undefined;
  if (code === MISSING_CAPABILITY) return 400;
  return code === METHOD_NOT_FOUND ? 404 : undefined;
}

/** The answer that the request has begun to write, if it has: it is none when another one goes out. */
function openedAnswer({ id }: RpcRequest, outlet: Outlet): { open(): OpenAnswer; withdraw(): void } {
  let opened: OpenAnswer | undefined;
  return {
    open: () => {
      opened?.withdraw();
      opened = outlet.openAnswer(id);
      return opened;
    },
    withdraw: () => opened?.withdraw(),
  };
}

/** On the legacy transport the stream that answers would go out on has ended with the session. */
function hasOwnAnswer({ session }: Caller): boolean {
  return session?.record.transport === "stream";
}

function stopped(): RpcError {
  return new RpcError(REFUSED, "An administrator has stopped this. What had begun elsewhere may go on there.");
}

function sessionOver(): RpcError {
  return new RpcError(SESSION_NOT_FOUND, "The session is over.");
}

/** What the gateway answers itself, at once or as one text; also lists, as nothing is told while they are made. */
const PROMPT: ReadonlySet<string> = new Set([
  "logging/setLevel",
  "ping",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "server/discover",
  "tools/list",
]);

/** Whether the answer to requests may take its time. */
export function mayTakeLong(requests: readonly RpcRequest[]): boolean {
  return requests.some(({ method }) => !PROMPT.has(method));
}
