import { aborted } from "../wire/upstream-failure.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";
import type { LentChunks } from "./lent-chunks.ts";

/** A request on a connection, until it is answered. */
export interface Waiting {
  /** On this connection alone. */
  readonly id: number;
  readonly traits: Traits;
  /** What comes for it, in order. */
  readonly messages: AsyncIterable<UpstreamMessage>;
  push(message: UpstreamMessage): void;
  /** Its answer, read while it goes out. */
  lend(answer: LentChunks): void;
  /** Nothing more comes. */
  fail(cause: unknown): void;
}

/** What tells for which of several requests a message is. */
export interface Traits {
  /** Whether its agent hears what upstreams say and ask meanwhile. */
  readonly hears: boolean;
  readonly progressToken: unknown;
}

export function createWaiting(id: number, traits: Traits): Waiting {
  const queue: UpstreamMessage[] = [];
  let failure: { readonly cause: unknown } | undefined;
  let lent: LentChunks | undefined;
  let arrival = Promise.withResolvers<void>();

  async function* messages(): AsyncGenerator<UpstreamMessage, void, undefined> {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) yield next;
      else if (failure !== undefined) throw failure.cause;
      else {
        await arrival.promise;
        arrival = Promise.withResolvers();
      }
    }
  }

  const push = (message: UpstreamMessage): void => {
    queue.push(message);
    arrival.resolve();
  };
  return {
    id,
    traits,
    messages: messages(),
    push,
    lend: (answer) => {
      lent = answer;
      if (failure !== undefined) answer.takeBack(failure.cause);
      else push({ kind: "long", chunks: answer.chunks });
    },
    fail: (cause = aborted()) => {
      failure ??= { cause };
      lent?.takeBack(cause);
      arrival.resolve();
    },
  };
}
