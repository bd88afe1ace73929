/** What a connection to another service uses for TLS; paths name PEM files. */
export interface ConnectionTls {
  /** Trusted in place of the public authorities. */
  readonly caFile?: string;
  /** The client certificate, with its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly minVersion?: "1.2" | "1.3";
  /** Certificates are not verified. */
  readonly insecure?: boolean;
}

/**
 * Makes a `fetch` whose connections have TLS settings of their own. Connections are pooled by it, and go through the
 * proxies of the environment. Throws `OutboundError` where the runtime cannot do it or a file cannot be read.
 */
export type OpenFetch = (tls: ConnectionTls) => typeof globalThis.fetch;

/** A body in the pieces in which it comes. Whoever reads them for a client watches that it takes them. */
export interface BodyPieces {
  /** Undefined at the end. Rejects with what broke the connection, or with the reason of the request's signal. */
  read(): Promise<Uint8Array | undefined>;
  /** The rest is not fetched; a read that waits ends. Never rejects. */
  cancel(): Promise<void>;
}

/** The same as a stream, of which nothing is read ahead. */
export function streamOf({ read, cancel }: BodyPieces): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const piece = await read();
        // A buffer of Node is one of the Web's arrays in all but its name.
        if (piece === undefined) controller.close();
        else controller.enqueue(new Uint8Array(piece.buffer as ArrayBuffer, piece.byteOffset, piece.byteLength));
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}

/** What some `fetch` answers with: whoever wants bytes alone is spared the stream around them. One of both is read. */
export interface AnswerInPieces {
  readonly pieces?: BodyPieces;
}

/** Connections with such settings cannot be made; the message says which file or setting is why. */
export class OutboundError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "OutboundError";
  }
}
