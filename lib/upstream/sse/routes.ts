import { isJsonObject } from "../../kernel/json.ts";
import type { RequestId } from "../../protocol/mcp/message.ts";
import { dispatch, type Listener } from "../deliver.ts";
import { collectBytes } from "../wire/byte-source.ts";
import { createJsonRewriter } from "../wire/json-rewriter.ts";
import { aborted, brokenOff, tooLarge, UpstreamFailure } from "../wire/upstream-failure.ts";
import { HELD_LIMIT, type UpstreamMessage } from "../wire/upstream-message.ts";

/** Which request the messages of a stream are for. */
export interface Routes {
  begin(traits: Traits): Waiting;
  /** Nobody waits for its answer any more. */
  end(waiting: Waiting): void;
  /** Hears what is for no request; until then nobody does. */
  hearOthers(listener: Listener): void;
  /** Hands out messages until there are no more; all that wait fail then. Never rejects. */
  run(messages: AsyncIterable<UpstreamMessage>): Promise<void>;
}

type Whole = Extract<UpstreamMessage, { kind: "whole" }>;
type Long = Extract<UpstreamMessage, { kind: "long" }>;

export function createRoutes(): Routes {
  const waiting = new Map<unknown, Waiting>();
  let others: Listener | undefined;
  let over: { readonly cause: unknown } | undefined;
  let count = 0;
  let mayBeLate = false;

  /** The stream does not say for which request a message is, except by progress tokens: of others the last one hears it. */
  function hearerOf({ message: { method, params } }: Whole): Waiting | undefined {
    const all = [...waiting.values()];
    if (method === "notifications/progress" && isJsonObject(params)) {
      const { progressToken } = params;
      const meant = all.find(({ traits }) => traits.progressToken === progressToken);
      if (meant !== undefined) return meant;
    }
    return all.findLast(({ traits }) => traits.hears) ?? (others === undefined ? all.at(-1) : undefined);
  }

  function routeWhole(message: Whole): void {
    const { method, id } = message.message;
    if (typeof method === "string") {
      const hearer = hearerOf(message);
      if (hearer !== undefined) hearer.push(message);
      else if (others !== undefined) dispatch(message, others);
      return;
    }
    // An answer that nobody waits for comes after its request was given up.
    const asked = waiting.get(id);
    waiting.delete(id);
    asked?.push(message);
  }

  /** Goes out while it comes in where it can only be for one; the stream has nothing else meanwhile. */
  async function routeLong({ chunks }: Long): Promise<void> {
    const [only] = waiting.values();
    if (only === undefined) return;
    if (waiting.size === 1 && !mayBeLate) {
      waiting.delete(only.id);
      const lent = lend(chunks);
      only.lend(lent);
      return lent.over;
    }
    const held = await heldOrNothing(chunks);
    const asked = waiting.get(held?.id);
    if (held === undefined || asked === undefined) return;
    waiting.delete(asked.id);
    asked.push({ kind: "long", chunks: pieceByPiece(held.bytes) });
  }

  async function readAll(messages: AsyncIterable<UpstreamMessage>): Promise<unknown> {
    try {
      for await (const message of messages) {
        if (message.kind === "whole") routeWhole(message);
        else await routeLong(message);
      }
      return brokenOff();
    } catch (cause) {
      return cause;
    }
  }

  return {
    begin: (traits) => {
      count += 1;
      const begun = createWaiting(count, traits);
      waiting.set(begun.id, begun);
      if (over !== undefined) begun.fail(over.cause);
      return begun;
    },
    end: (ended) => {
      mayBeLate = waiting.delete(ended.id) || mayBeLate;
      ended.fail(aborted());
    },
    hearOthers: (listener) => {
      others = listener;
    },
    run: async (messages) => {
      const cause = await readAll(messages);
      over = { cause };
      for (const left of waiting.values()) left.fail(cause);
    },
  };
}

/** One malformed message does not cost the others. */
async function heldOrNothing(chunks: Long["chunks"]): Promise<HeldAnswer | undefined> {
  try {
    return await holdAnswer(chunks);
  } catch (cause) {
    if (cause instanceof UpstreamFailure && cause.reason === "broken_json") return undefined;
    throw cause;
  }
}

/** Bytes; whoever reads them has room for so many. */
const PIECE = 64 * 1024;

async function* pieceByPiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

interface HeldAnswer {
  readonly id: RequestId | undefined;
  readonly bytes: Uint8Array;
}

/**
 * All of a long answer: whose it is may be said at its end.
 *
 * @throws UpstreamFailure `broken_json`, `too_large`, and what reading throws
 */
async function holdAnswer(chunks: AsyncIterable<Uint8Array>): Promise<HeldAnswer> {
  const collected = collectBytes();
  const reader = createJsonRewriter({});
  for await (const chunk of chunks) {
    collected.add(chunk);
    if (collected.length > HELD_LIMIT) throw tooLarge("A message", HELD_LIMIT);
    reader.push(chunk);
  }
  reader.end();
  return { id: reader.facts().id, bytes: collected.all() };
}

/** Chunks of a stream that one reader takes, while whoever reads the stream waits. */
interface LentChunks {
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
interface Traits {
  /** Whether its agent hears what upstreams say and ask meanwhile. */
  readonly hears: boolean;
  readonly progressToken: unknown;
}

function createWaiting(id: number, traits: Traits): Waiting {
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
