import { boundedCache } from "../kernel/bounded-cache.ts";
import { pollUntil } from "../kernel/timers.ts";
import { createTurns } from "../kernel/turns.ts";

/**
 * What large messages of agents may take of an instance (checklist 43 and 48): bytes that are held until their answer is
 * out, and time of the thread that serves everybody. Messages of the usual size take neither.
 */
export interface MessageRoom {
  /**
   * Room for a body before it is read, its caller waiting in front of the door for a while: what is not read yet stays
   * at the sender's. Undefined when there is none.
   *
   * @param bytes what is declared; undefined where nothing is
   */
  enter(caller: string, bytes: number | undefined): Promise<Place | undefined>;
  /** Runs what takes time in proportion to the bytes: at once for few of them, else in the caller's turn. */
  compute<T>(caller: string, bytes: number, work: () => T): Promise<T>;
}

/** Room that is taken. */
export interface Place {
  /** The body has been read: gives back what it does not need. */
  settle(bytes: number): void;
  /** Whether something is still held. */
  isHeld(): boolean;
  leave(): void;
}

/** Bytes of bodies. A message takes about five times as much while it is read, checked and sent on. */
export interface RoomLimits {
  readonly instance: number;
  readonly caller: number;
  /** Whether time may be measured, and one request wait for another: not so between the requests of a Worker (D29). */
  readonly takesTurns: boolean;
}

const MIB = 1024 * 1024;
/** For a process of its own. */
export const WIDE: RoomLimits = { instance: 32 * MIB, caller: 4 * MIB, takesTurns: true };
/** For an isolate or a function of 128 MiB. */
export const NARROW: RoomLimits = { instance: 8 * MIB, caller: 4 * MIB, takesTurns: false };

/** Bodies up to this size are not counted, bytes. */
const SMALL = 64 * 1024;
/** What is held for a body of unknown length until it has been read, bytes. */
const UNDECLARED = MIB;
/** What one caller may have read in a second, and what of that at once, bytes: receiving them takes time, too. */
const RATE = 8 * MIB;
const BURST = 8 * MIB;
/** Callers whose rate is known; nobody else has sent as much lately. */
const MAX_CALLERS = 10_000;
/** How long somebody waits for room, milliseconds. */
const PATIENCE = 5_000;
/** How many wait for one caller's room. More are refused at once. */
const MAX_WAITING = 100;

export function createMessageRoom(limits: RoomLimits): MessageRoom {
  const turns = createTurns();
  return {
    enter: createDoor(limits),
    compute: async (caller, bytes, work) => {
      if (bytes <= SMALL || !limits.takesTurns) return work();
      return turns(caller, work);
    },
  };
}

function createDoor({ instance, caller: share }: RoomLimits): MessageRoom["enter"] {
  const held = new Map<string, number>();
  const waiting = new Map<string, number>();
  const pace = createPace();
  let total = 0;
  const add = (caller: string, bytes: number): void => {
    total += bytes;
    change(held, caller, bytes);
  };
  const place = (caller: string, taken: number): Place => {
    let bytes = taken;
    let hasLeft = false;
    const keep = (rest: number): void => {
      add(caller, rest - bytes);
      bytes = rest;
    };
    return {
      settle: (read) => {
        if (read <= SMALL) return keep(0);
        pace.pay(caller, read);
        if (!hasLeft) keep(read);
      },
      isHeld: () => bytes > 0,
      leave: () => {
        hasLeft = true;
        keep(0);
      },
    };
  };
  return async (caller, declared) => {
    const bytes = declared ?? UNDECLARED;
    if (bytes <= SMALL) return place(caller, 0);
    let isTaken = false;
    const take = (): boolean => {
      const hasRoom = total + bytes <= instance && (held.get(caller) ?? 0) + bytes <= share;
      if (!isTaken && hasRoom && pace.mayRead(caller)) {
        add(caller, bytes);
        isTaken = true;
      }
      return isTaken;
    };
    if (take()) return place(caller, bytes);
    if ((waiting.get(caller) ?? 0) >= MAX_WAITING) return undefined;
    change(waiting, caller, 1);
    try {
      return (await pollUntil(take, PATIENCE)) ? place(caller, bytes) : undefined;
    } finally {
      change(waiting, caller, -1);
    }
  };
}

/** The rate of each caller: the time at which all that it sent will have been paid for. */
function createPace() {
  const paid = boundedCache<string, number>(MAX_CALLERS);
  const until = (caller: string) => Math.max(performance.now(), paid.get(caller) ?? 0);
  return {
    mayRead: (caller: string) => until(caller) - performance.now() < (BURST / RATE) * 1000,
    pay: (caller: string, bytes: number) => paid.put(caller, until(caller) + (bytes / RATE) * 1000),
  };
}

/** Nobody's count is kept once it is zero. */
function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** The response, with the room of its request given back once its body is out or nobody wants it. */
export function leavingWith(response: Response, place: Place, signal: AbortSignal): Response {
  if (!place.isHeld()) return response;
  const { body } = response;
  if (body === null) {
    place.leave();
    return response;
  }
  if (signal.aborted) place.leave();
  signal.addEventListener("abort", place.leave, { once: true });
  const reader = body.getReader();
  const leaving = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        place.leave();
        controller.close();
      } catch (cause) {
        place.leave();
        throw cause;
      }
    },
    cancel: (reason) => {
      place.leave();
      return reader.cancel(reason);
    },
  });
  return new Response(leaving, response);
}
