import type { ResumptionRoom } from "./resumption-room.ts";

/** An event that a stream has sent, or begun to. */
export interface KeptEvent {
  readonly number: number;
  /** Its JSON. Undefined: it is not complete, or is none after all. */
  readonly text: string | undefined;
  readonly isOpen: boolean;
}

/** The latest events of a stream, numbered from 1 on, for a client that comes back. */
export interface KeptEvents {
  /** The number of the latest one. */
  latest(): number;
  /** Whether all behind the event with this number are there. */
  hasAllAfter(number: number): boolean;
  /** Those behind the event with this number, up to the first that is not complete. */
  completeAfter(number: number): readonly KeptEvent[];
  begin(): KeptEvent;
  /**
   * Completes an event. Where there is no room for its text the oldest ones go.
   *
   * @param text undefined: it is none after all
   * @param mayGo whether somebody has the event
   * @returns false: it is not kept, as there is no room
   */
  complete(event: KeptEvent, text: string | undefined, mayGo: (event: KeptEvent) => boolean): boolean;
  /** Forgets an event, and what came before: whoever has not got it cannot have what comes behind it either. */
  forget(event: KeptEvent): void;
  /** What is not complete is none. */
  closeAll(): void;
  clear(): void;
}

/** Characters of the events that a stream keeps. */
export const KEPT: number = 1024 * 1024;

type Entry = { -readonly [Name in keyof KeptEvent]: KeptEvent[Name] };

/** @param caller whose share of the room it takes */
export function createKeptEvents(caller: string, room: Pick<ResumptionRoom, "take" | "release">): KeptEvents {
  const entries: Entry[] = [];
  let latest = 0;
  let characters = 0;

  const forget = (last: KeptEvent): void => {
    const gone = entries.splice(0, entries.findIndex(({ number }) => number === last.number) + 1);
    const length = gone.reduce((sum, { text = "" }) => sum + text.length, 0);
    characters -= length;
    room.release(caller, length);
  };
  const makeRoom = (needed: number, mayGo: (event: KeptEvent) => boolean): boolean => {
    while (characters + needed > KEPT || !room.take(caller, needed)) {
      const [oldest] = entries;
      if (oldest === undefined || oldest.isOpen || !mayGo(oldest)) return false;
      forget(oldest);
    }
    characters += needed;
    return true;
  };
  const entryOf = ({ number }: KeptEvent) => entries.find((entry) => entry.number === number);
  return {
    latest: () => latest,
    hasAllAfter: (number) => number <= latest && number >= (entries[0]?.number ?? latest + 1) - 1,
    completeAfter: (number) => {
      const behind = entries.filter((entry) => entry.number > number);
      const open = behind.findIndex(({ isOpen }) => isOpen);
      return open < 0 ? behind : behind.slice(0, open);
    },
    begin: () => {
      latest += 1;
      const entry: Entry = { number: latest, text: undefined, isOpen: true };
      entries.push(entry);
      return entry;
    },
    complete: (event, text, mayGo) => {
      const entry = entryOf(event);
      if (entry === undefined) return true;
      entry.isOpen = false;
      if (text !== undefined && !makeRoom(text.length, mayGo)) return false;
      entry.text = text;
      return true;
    },
    forget,
    closeAll: () => {
      for (const entry of entries) entry.isOpen = false;
    },
    clear: () => {
      entries.length = 0;
      room.release(caller, characters);
      characters = 0;
    },
  };
}
