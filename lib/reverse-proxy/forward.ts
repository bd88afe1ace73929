import type { AnswerInPieces } from "../net/outbound.ts";

/** A request to an upstream, as it goes on the wire. */
export interface ForwardedRequest {
  readonly method: string;
  /** Scheme and authority of the upstream. */
  readonly origin: string;
  /** With the query; sent as it is. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** null: there is none. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** Bytes, as the client declared them; absent: it did not. */
  readonly length?: number;
  readonly signal: AbortSignal;
  /** The connection shall become a WebSocket (RFC 6455 section 4.1). */
  readonly upgrade?: true;
}

export interface ForwardedAnswer extends AnswerInPieces {
  readonly status: number;
  readonly headers: Headers;
  /** As it comes from the wire, still encoded; null: there is none. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** There with status 101 alone, where it was asked for. */
  readonly socket?: UpstreamSocket;
}

/** The upstream's end of a WebSocket, as the runtime has it. */
export interface UpstreamSocket {
  /** Nobody wants it. */
  destroy(): unknown;
}

/**
 * Makes a WebSocket of the client's connection and ties it to the upstream's: whatever one side sends goes to the other.
 *
 * @param headers of the upstream's answer, for the client
 */
export type AcceptSocket = (upstream: UpstreamSocket, headers: Headers) => AcceptedSocket;

export interface AcceptedSocket {
  /** What the application answers with. Its headers are the answer's; its status is 101 only where a `Response` can have it. */
  readonly response: Response;
  /** Closes both sides, once, with a code of RFC 6455 section 7.4 and a reason of at most 123 bytes. */
  end(code: number, reason: string): void;
  /** Resolves when it is over, however that came about. */
  readonly closed: Promise<void>;
}

/**
 * Carries one request to an upstream. Redirects are not followed, nothing is decoded, and no header is added but those of HTTP itself.
 *
 * @param carried the client's request, by which a runtime finds a body that it can pass on more cheaply
 * @throws OutboundError when the connection cannot be made, is refused by the rules for addresses, or ends before an answer
 */
export interface Forward {
  (request: ForwardedRequest, carried: Request): Promise<ForwardedAnswer>;
  /** Bodies of a declared length come as the client's own streams: what is put around them costs this runtime too much. */
  readonly takesOwnStreams?: boolean;
}
