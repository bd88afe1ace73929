import { withTimeout } from "../kernel/timers.ts";
import { READ_TIMEOUT } from "./open-message.ts";
import { type OpenAnswer, textOf } from "./outlet.ts";

/** An answer of one request, of which nobody knows yet how long it is. */
export interface OpenJson extends OpenAnswer {
  /** Whether its head is out: nothing else has a place then. */
  hasBegun(): boolean;
  /** Whether something of it has come. */
  isHeld(): boolean;
  /** Its head and what has come of it go out. */
  begin(): void;
  /** There is an event stream now: what has come goes there with what comes next. */
  moveTo(open: () => OpenAnswer): void;
}

export interface OpenJsonPorts {
  readonly headers: Readonly<Record<string, string>>;
  /** Takes the HTTP answer, whose body goes on. */
  readonly begun: (response: Response) => void;
  /** Takes the answer where it is complete before its head is out. */
  readonly whole: (text: string) => void;
  /** The client has left. */
  readonly left: () => void;
}

/** Bytes that are held before the head goes out: up to here, what turns out to be no answer can become an error. */
const HELD = 256 * 1024;
/** Bytes that may wait for the client before more are asked for. */
const ROOM = 256 * 1024;

/**
 * JSON that goes out as it arrives (D113). Its end is held until it is committed, so that what a client has before is not
 * complete. Withdrawn after its head it breaks off, as there is no other way left to say so.
 */
export function openJson({ headers, begun, whole, left }: OpenJsonPorts): OpenJson {
  let held: Uint8Array[] = [];
  let length = 0;
  let body: WritableStreamDefaultWriter<Uint8Array> | undefined;
  let openElsewhere: (() => OpenAnswer) | undefined;
  let elsewhere: OpenAnswer | undefined;
  let isOver = false;

  /** @param from the first piece that stays */
  const sendBefore = (from: number): void => {
    // Where the client has left, `left` tells.
    for (const piece of held.splice(0, from)) body?.write(piece).catch(() => undefined);
  };
  const begin = (): void => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(
      {},
      new ByteLengthQueuingStrategy({ highWaterMark: ROOM }),
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    );
    body = writable.getWriter();
    body.closed.catch(() => isOver || left());
    begun(new Response(readable, { headers }));
    sendBefore(held.findLastIndex(hasContent));
  };
  /** The answer on the stream, and what has come of this one. */
  const moved = (): OpenAnswer | undefined => {
    if (elsewhere === undefined && openElsewhere !== undefined) {
      elsewhere = openElsewhere();
      // What waits is awaited with the next piece.
      for (const piece of held.splice(0)) elsewhere.write(piece).catch(() => undefined);
    }
    return elsewhere;
  };
  const end = (): boolean => {
    const isFirst = !isOver;
    isOver = true;
    return isFirst;
  };
  return {
    hasBegun: () => body !== undefined,
    isHeld: () => !isOver && held.length > 0,
    begin,
    moveTo: (open) => {
      openElsewhere = open;
    },
    write: async (chunk) => {
      if (isOver) throw nobodyReads();
      const stream = moved();
      if (stream !== undefined) return stream.write(chunk);
      held.push(chunk);
      length += chunk.length;
      if (body !== undefined && hasContent(chunk)) sendBefore(held.length - 1);
      else if (body === undefined && length > HELD) begin();
      if (body === undefined) return;
      // A client that does not read is as good as gone: the upstream's answer waits for it.
      await withTimeout(READ_TIMEOUT, body.ready, nobodyReads).catch(() => {
        left();
        throw nobodyReads();
      });
    },
    commit: () => {
      if (!end()) return;
      const stream = moved();
      if (stream !== undefined) return stream.commit();
      if (body === undefined) return whole(textOf(held));
      sendBefore(held.length);
      body.close().catch(() => undefined);
    },
    withdraw: () => {
      if (!end()) return;
      held = [];
      elsewhere?.withdraw();
      body?.abort(new Error("The upstream's answer broke off.")).catch(() => undefined);
    },
  };
}

function nobodyReads(): DOMException {
  return new DOMException("Nobody reads the answer any more.", "AbortError");
}

const SPACE = 32;

/** Behind the last of these nothing is missing in JSON. */
function hasContent(chunk: Uint8Array): boolean {
  return chunk.some((byte) => byte > SPACE);
}
