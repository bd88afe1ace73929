import type { Changes } from "./changes.ts";
import type { JsonObject, RequestId } from "./json-rpc.ts";
import type { TaskWork } from "./tasks/task.ts";

/** What the server asks of its client, by keys of the server's choice. */
export type InputRequests = Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>;

/** What a feature knows of the request that it answers and may do meanwhile, the same in both generations. */
export interface RequestContext {
  readonly id: RequestId;
  readonly params: JsonObject;
  /** Which the client declared, in its handshake or with the request. */
  readonly clientCapabilities: JsonObject;
  /** What an earlier round kept, in the request's own words; empty in the first round. */
  readonly state: JsonObject;
  readonly changes: Changes;
  readonly signal: AbortSignal;
  /** A notification that belongs to this request. */
  notify(method: string, params: JsonObject): void;
  /** A log message, if the client wants those of its level. */
  log(level: LogLevel, data: string): void;
  /**
   * Resolves to what the client answered, by the same keys. In the session generation each is a request to the client; in the
   * stateless one the request ends here and comes again with the answers and with `state`, which nobody can have changed.
   *
   * @throws RpcError when the client declared no capability for one of them
   */
  ask(requests: InputRequests, state?: JsonObject): Promise<Readonly<Record<string, JsonObject>>>;
  /**
   * Goes on after the answer where the client knows tasks, and answers that there is one; otherwise it is done before it.
   *
   * @throws RpcError when it cannot be done before the answer
   */
  inTask(work: TaskWork, options?: { readonly isRequired: boolean }): Promise<JsonObject>;
  /** Ends the connection that the answer would have come on; the client fetches it elsewhere, where it can. */
  hangUp(): void;
}

export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Whether a message of a level goes to whoever asked for those of `least` and above. */
export function isLoggedAt(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}
