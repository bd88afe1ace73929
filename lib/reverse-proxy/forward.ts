import type { AnswerInPieces } from "../net/outbound.ts";

/** A request to an upstream, as it goes on the wire. */
export interface ForwardedRequest {
  readonly method: string;
  /** Scheme and authority of the upstream. */
  readonly origin: string;
  /** With the query; sent as it is. */
  readonly path: string;
  readonly headers: Headers;
  /** null: there is none. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Bytes, as the client declared them; absent: it did not. */
  readonly length?: number;
  readonly signal: AbortSignal;
}

export interface ForwardedAnswer extends AnswerInPieces {
  readonly status: number;
  readonly headers: Headers;
  /** As it comes from the wire, still encoded; null: there is none. */
  readonly body: ReadableStream<Uint8Array> | null;
}

/**
 * Carries one request to an upstream. Redirects are not followed, nothing is decoded, and no header is added but those of HTTP itself.
 *
 * @param carried the client's request, by which a runtime finds a body that it can pass on more cheaply
 * @throws OutboundError when the connection cannot be made, is refused by the rules for addresses, or ends before an answer
 */
export type Forward = (request: ForwardedRequest, carried: Request) => Promise<ForwardedAnswer>;
