import { isLogLevel } from "../context.ts";
import { METHODS } from "../features/methods.ts";
import { INVALID_PARAMS, type JsonObject, RpcError, type RpcRequest } from "../json-rpc.ts";
import type { Session } from "./session.ts";

type SessionMethod = (params: JsonObject, session: Session) => void;

/** Methods that change the session, or do nothing; their results are empty. */
export const SESSION_METHODS: ReadonlyMap<string, SessionMethod> = new Map<string, SessionMethod>([
  ["ping", () => undefined],
  [
    "logging/setLevel",
    ({ level }, session) => {
      if (!isLogLevel(level)) throw new RpcError(INVALID_PARAMS, `params.level: unknown level ${level}.`);
      session.level = level;
    },
  ],
  ["resources/subscribe", (params, { subscribed }) => subscribed.add(uriOf(params))],
  ["resources/unsubscribe", (params, { subscribed }) => subscribed.delete(uriOf(params))],
]);

/** Methods that may tell and ask the client something before their answer, which is an event stream therefore. */
const STREAMED: ReadonlySet<string> = new Set(["tools/call", "prompts/get"]);

export function isStreamed({ method }: RpcRequest): boolean {
  return STREAMED.has(method);
}

export function isServed({ method }: RpcRequest): boolean {
  return METHODS.has(method) || SESSION_METHODS.has(method);
}

function uriOf({ uri }: JsonObject): string {
  if (typeof uri !== "string") throw new RpcError(INVALID_PARAMS, "params.uri must be a text.");
  return uri;
}
