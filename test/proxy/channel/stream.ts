/** An event stream that a test writes. */
export interface TestStream {
  readonly response: Response;
  /** A message; with an id of its event where there is one. */
  send(message: unknown, eventId?: string): void;
  /** As it is. */
  write(text: string): void;
  end(): void;
  readonly isGone: () => boolean;
}

export function streamOf(): TestStream {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 1_000,
  });
  const writer = writable.getWriter();
  let isGone = false;
  // Whoever reads has left: so has the test's interest.
  writer.closed.catch(() => undefined).finally(() => (isGone = true));
  const write = (text: string): void => void writer.write(new TextEncoder().encode(text)).catch(() => undefined);
  write(": open\n\n");
  return {
    response: new Response(readable, { headers: { "content-type": "text/event-stream" } }),
    write,
    send: (message, eventId) => {
      const text = typeof message === "string" ? message : JSON.stringify(message);
      write(`${eventId === undefined ? "" : `id: ${eventId}\n`}data: ${text}\n\n`);
    },
    end: () => void writer.close().catch(() => undefined),
    isGone: () => isGone,
  };
}
