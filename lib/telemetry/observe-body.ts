/** The same body; `onEnd` runs when it is over: sent whole, given up by its reader, or broken off. */
export function observeBody(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull: async (controller) => {
      try {
        const next = await reader.read();
        if (!next.done) {
          controller.enqueue(next.value);
          return;
        }
      } catch (cause) {
        onEnd();
        throw cause;
      }
      onEnd();
      controller.close();
    },
    cancel: async (reason) => {
      onEnd();
      await reader.cancel(reason);
    },
  };
  // Nothing is read ahead: what waits, waits where it did before.
  return new ReadableStream(source, { highWaterMark: 0 });
}
