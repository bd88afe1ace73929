import { isJsonObject } from "../../json.ts";
import type { Listener } from "../deliver.ts";
import { hear } from "../hear.ts";
import { aborted, brokenOff, UpstreamFailure } from "../wire/upstream-failure.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";
import { type HeldAnswer, holdAnswer } from "./held-answer.ts";
import { lend } from "./lent-chunks.ts";
import { createWaiting, type Traits, type Waiting } from "./waiting.ts";

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
      else if (others !== undefined) hear(message, others);
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
