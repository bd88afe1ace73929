import type { Through } from "../session/request.ts";
import { aborted } from "../wire/upstream-failure.ts";

/** Lets messages through while it is open; what has not been read yet waits at the upstream. */
export interface Gate {
  readonly through: Through;
  open(): void;
  shut(): void;
  /** What waits behind it ends: `aborted`. */
  end(): void;
}

export function createGate(): Gate {
  let isEnded = false;
  let passage: PromiseWithResolvers<void> | undefined;
  const open = (): void => {
    passage?.resolve();
    passage = undefined;
  };
  return {
    through: async function* (messages) {
      const iterator = messages[Symbol.asyncIterator]();
      try {
        for (;;) {
          await passage?.promise;
          if (isEnded) throw aborted();
          const { done, value } = await iterator.next();
          if (done) return;
          yield value;
        }
      } finally {
        await iterator.return?.();
      }
    },
    open,
    shut: () => {
      if (!isEnded) passage ??= Promise.withResolvers();
    },
    end: () => {
      isEnded = true;
      open();
    },
  };
}
