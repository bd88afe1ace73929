import { utf8 } from "../kernel/encoding.ts";
import type { OpenAnswer } from "./outlet.ts";

/** What open messages need of the stream that they go out on. */
export interface OpenMessageStream {
  readonly order: InOrder;
  readonly gone: AbortSignal;
  /** Bytes that are out and wait for the reader. */
  unread(): number;
  /** More bytes wait than before. */
  grown(): void;
  /** The reader takes nothing: what waits for it is given up. */
  stalled(): void;
}

export interface OpenMessages {
  /** @param id of the event, which stands behind its data: one that is withdrawn has none */
  open(id?: string): OpenAnswer;
  /** The reader has taken something. */
  read(): void;
  /** What was not committed is withdrawn. */
  withdrawAll(): void;
  /** Nobody reads any more. */
  leave(): void;
}

interface Waiter {
  readonly isReady: () => boolean;
  readonly go: () => void;
  readonly leave: () => void;
}

/** Bytes that may wait for the reader before more are asked for. */
const ROOM = 256 * 1024;
/** Milliseconds in which a reader takes something; an upstream's answer waits for it meanwhile. */
export const READ_TIMEOUT = 60_000;

const DATA = utf8("data: ");
const END = utf8("\n\n");
/** The type may stand behind the data (HTML Standard §9.2.6); clients look at events of the type `message` alone. */
const ABORTED = utf8("\nevent: aborted\n\n");

/** Messages whose bytes come one after another, an event each. Of those that are open at once the first goes out. */
export function openMessages({ order, gone, unread, grown, stalled }: OpenMessageStream): OpenMessages {
  const opened = new Set<OpenAnswer>();
  const waiting = new Set<Waiter>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Runs while somebody waits; starts anew when something was read. */
  const watch = (): void => {
    clearTimeout(timer);
    // Where nothing is unread, they wait for one another.
    const look = () => (unread() > 0 ? stalled() : watch());
    timer = waiting.size === 0 ? undefined : setTimeout(look, READ_TIMEOUT);
  };
  const read = (): void => {
    for (const waiter of waiting) {
      if (!waiter.isReady()) continue;
      waiting.delete(waiter);
      waiter.go();
    }
    watch();
  };
  const until = async (isReady: () => boolean): Promise<void> => {
    if (gone.aborted) throw nobodyReads();
    if (isReady()) return;
    await new Promise<void>((go, refuse) => {
      waiting.add({ isReady, go, leave: () => refuse(nobodyReads()) });
      if (timer === undefined) watch();
    });
  };
  const open = (id?: string): OpenAnswer => {
    const turn = order.begin();
    let isBegun = false;
    let isOver = false;
    const end = (bytes: Uint8Array): void => {
      if (isOver) return;
      isOver = true;
      opened.delete(message);
      if (isBegun) turn.add(bytes);
      turn.end();
      grown();
      read();
    };
    const message: OpenAnswer = {
      write: async (chunk) => {
        if (isOver || gone.aborted) throw nobodyReads();
        if (chunk.length === 0) return;
        if (!isBegun) turn.add(DATA);
        isBegun = true;
        turn.add(inOneLine(chunk));
        grown();
        await until(() => isOver || (turn.isUp() && unread() < ROOM));
      },
      commit: () => end(id === undefined ? END : utf8(`\nid: ${id}\n\n`)),
      withdraw: () => end(ABORTED),
    };
    opened.add(message);
    return message;
  };
  return {
    open,
    read,
    withdrawAll: () => {
      for (const { withdraw } of [...opened]) withdraw();
    },
    leave: () => {
      for (const { leave } of waiting) leave();
      waiting.clear();
      watch();
    },
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;

/** Line breaks of JSON are white space, those of an event end it: upstreams must not write events of their own. */
function inOneLine(chunk: Uint8Array): Uint8Array {
  if (!chunk.includes(LINE_FEED) && !chunk.includes(CARRIAGE_RETURN)) return chunk;
  return chunk.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}

function nobodyReads(): DOMException {
  return new DOMException("Nobody reads the answer any more.", "AbortError");
}

/** Bytes that belong together and may come one after another. */
interface Turn {
  /** Whether everything before is out, so that bytes of this turn go out as they come. */
  isUp(): boolean;
  add(bytes: Uint8Array): void;
  /** Nothing more comes; the next turn is up. */
  end(): void;
}

/** What several write at the same time, one turn behind the other. */
interface InOrder {
  /** A turn of its own. */
  whole(bytes: Uint8Array): void;
  begin(): Turn;
  isBusy(): boolean;
  /** Bytes that wait for their turn. */
  held(): number;
}

interface Waiting {
  readonly bytes: Uint8Array[];
  isOver: boolean;
}

/** @param put takes the bytes as they go out */
export function inOrder(put: (bytes: Uint8Array) => void): InOrder {
  const turns: Waiting[] = [];
  let held = 0;
  const release = (turn: Waiting | undefined): void => {
    for (const bytes of turn?.bytes.splice(0) ?? []) {
      held -= bytes.length;
      put(bytes);
    }
  };
  const begin = (): Turn => {
    const turn: Waiting = { bytes: [], isOver: false };
    turns.push(turn);
    const isUp = () => turns[0] === turn;
    return {
      isUp,
      add: (bytes) => {
        if (isUp()) return put(bytes);
        turn.bytes.push(bytes);
        held += bytes.length;
      },
      end: () => {
        turn.isOver = true;
        while (turns[0]?.isOver) {
          turns.shift();
          release(turns[0]);
        }
      },
    };
  };
  return {
    whole: (bytes) => {
      const turn = begin();
      turn.add(bytes);
      turn.end();
    },
    begin,
    isBusy: () => turns.length > 0,
    held: () => held,
  };
}
