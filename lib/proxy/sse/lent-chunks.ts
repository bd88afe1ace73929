/** Chunks of a stream that one reader takes, while whoever reads the stream waits. */
export interface LentChunks {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The reader gets this instead of what is left. */
  takeBack(cause: unknown): void;
  /** Resolves when nothing is read of them any more. */
  readonly over: Promise<void>;
}

export function lend(source: AsyncIterable<Uint8Array>): LentChunks {
  const iterator = source[Symbol.asyncIterator]();
  const over = Promise.withResolvers<void>();
  const back = Promise.withResolvers<never>();
  // The reader may have left.
  back.promise.catch(() => undefined);
  let reading: Promise<unknown> = Promise.resolve();
  let isBack = false;
  // The stream cannot be read on while a chunk is on its way.
  const finish = (): void => {
    const resolve = () => over.resolve();
    void reading.then(resolve, resolve);
  };
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    // Whoever was busy with a chunk when they were taken back comes for another one.
    if (isBack) return back.promise;
    const chunk = iterator.next();
    reading = chunk;
    try {
      const result = await Promise.race([chunk, back.promise]);
      if (result.done) finish();
      return result;
    } catch (cause) {
      finish();
      throw cause;
    }
  };
  const leave = async (): Promise<IteratorReturnResult<undefined>> => {
    finish();
    return { done: true, value: undefined };
  };
  return {
    chunks: { [Symbol.asyncIterator]: () => ({ next, return: leave }) },
    takeBack: (cause) => {
      isBack = true;
      back.reject(cause);
      finish();
    },
    over: over.promise,
  };
}
