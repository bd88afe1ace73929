import type { JsonObject } from "../kernel/json.ts";
import type { RequestId } from "../protocol/mcp/message.ts";

/** What one request of a session tells the others. */
export type SessionSignal =
  /** Goes out on an event stream of the session. */
  | { readonly kind: "message"; readonly message: JsonObject }
  /** Likewise, of a message that is JSON already. */
  | { readonly kind: "text"; readonly text: string }
  /** The agent gave up on the request with this id. */
  | { readonly kind: "cancelled"; readonly requestId: string | number; readonly reason?: string }
  /** The agent answered a request whose answer one of ours waits for (`isWaitingId`). */
  | { readonly kind: "response"; readonly id: RequestId; readonly message: JsonObject }
  /** The session has another session at an upstream, or other subscriptions there. */
  | { readonly kind: "upstream" }
  /** The event stream of the request `by` takes the place of those that are open, whose clients may be gone. */
  | { readonly kind: "replaced"; readonly by: string }
  /** The request `by` asks for a stream that its client has lost, behind the event with this number. */
  | { readonly kind: "resume"; readonly stream: string; readonly after: number; readonly by: string }
  /** Whoever has the stream sends the request `by` what follows; said again as often as that asks. */
  | { readonly kind: "resumed"; readonly stream: string; readonly by: string }
  /** An event of the stream, JSON, for the request `by`. */
  | {
      readonly kind: "event";
      readonly stream: string;
      readonly by: string;
      readonly id: string;
      readonly text: string;
    }
  /** Nothing more comes on the stream for the request `by`, or nothing at all is left of it. */
  | { readonly kind: "stream_over"; readonly stream: string; readonly by: string }
  /** The client of the request `by` has left again. */
  | { readonly kind: "reader_left"; readonly stream: string; readonly by: string }
  /** The session is over: streams end, calls that run are given up. */
  | { readonly kind: "ended" };

/**
 * Carries signals between the requests of one session, wherever these are served. Sessions live in the store; a signal
 * reaches who listens now, and is lost where nobody does.
 */
export interface SessionChannel {
  /** Milliseconds that a request's work goes on at most once its client has left; absent: for as long as it takes. */
  readonly outlives?: number;
  /** Never rejects. Resolves to how many the signal was handed to, as far as is known. */
  publish(sessionHash: string, signal: SessionSignal): Promise<number>;
  /**
   * Resolves once every later signal reaches `receive`. Rejects when signals cannot be had.
   *
   * @param receive must not throw
   */
  follow(sessionHash: string, receive: (signal: SessionSignal) => void): Promise<Following>;
}

export interface Following {
  /** Resolves when signals may have been lost, as the other side is gone, and none come any more. */
  readonly lost: Promise<void>;
  stop(): void;
}
