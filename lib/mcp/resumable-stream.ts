import { base64url } from "../kernel/encoding.ts";
import type { Random } from "../kernel/random.ts";
import type { Following, SessionChannel, SessionSignal } from "../stores/session-channel.ts";
import { createEventStream, type EventStream, type EventStreamOptions } from "./event-stream.ts";
import { messageText, type OpenAnswer, textOf } from "./outlet.ts";
import type { ResumptionRoom } from "./resumption-room.ts";

/** What makes the stream of a session's request one that its client can come back to. */
export interface Resumption {
  readonly sessionHash: string;
  readonly channel: SessionChannel;
  /** Who shares the room. */
  readonly caller: string;
  readonly room: ResumptionRoom;
  readonly random: Random;
  /** Keeps the runtime alive while the stream waits for its client. */
  readonly waitUntil: (work: Promise<void>) => void;
  /** The instance ends: nobody comes back to it. */
  readonly stopping: AbortSignal | undefined;
}

/** Where in a stream a client was: its id, and the number of the last event that it has. */
export interface StreamPlace {
  readonly stream: string;
  readonly after: number;
}

/** Milliseconds that a stream waits for its client. Workers end what goes on after a request at about this time. */
export const RESUME_WINDOW = 30_000;
/** Milliseconds that a client waits before it comes back, unless the connection says otherwise. */
const RETRY = 1_000;
/** Characters of the events that a stream keeps. */
const KEPT = 1024 * 1024;

/** @returns undefined where it is no event id of ours */
export function readEventId(id: string | null): StreamPlace | undefined {
  const [, stream, after] = /^([\w-]{22})\.(\d{1,9})$/.exec(id ?? "") ?? [];
  return stream === undefined ? undefined : { stream, after: Number(after) };
}

function eventId(stream: string, number: number): string {
  return `${stream}.${number}`;
}

/** What a stream has said, or is about to. */
interface Entry {
  readonly number: number;
  /** Undefined: it is not complete, or is none after all. */
  text?: string | undefined;
  isOpen: boolean;
}

/**
 * An event stream whose client may lose its connection and come back with a GET for what it has missed (MCP 2025-11-25,
 * Transports, Resumability and Redelivery). What the request does goes on meanwhile. The GET may come to another instance:
 * both speak by the channel of the session.
 */
export function createResumableStream(options: EventStreamOptions, resumption: Resumption): EventStream {
  const { sessionHash, channel, caller, room, random, waitUntil, stopping } = resumption;
  const stream = base64url(random.bytes(16));
  const first = `id: ${eventId(stream, 0)}\nretry: ${RETRY}\ndata: \n\n`;
  const events = createEventStream({ ...options, first });
  const gone = new AbortController();
  const over = Promise.withResolvers<void>();
  const entries: Entry[] = [];
  let numbers = 0;
  let characters = 0;
  /** The request that reads instead of the first one. */
  let reader: string | undefined;
  /** The last event that the reader was sent. */
  let sent = 0;
  let phase: "running" | "finished" | "over" = "running";
  let isWaiting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let following: Following | undefined;
  let told: Promise<unknown> = Promise.resolve();

  const tell = (signal: SessionSignal): void => {
    // One behind the other, as each may be a request of its own.
    told = told.then(() => channel.publish(sessionHash, signal));
  };
  const end = (): void => {
    if (phase === "over") return;
    phase = "over";
    clearTimeout(timer);
    following?.stop();
    stopping?.removeEventListener("abort", stop);
    entries.length = 0;
    room.release(caller, characters);
    if (isWaiting) room.comeBack(caller);
    isWaiting = false;
    void told.then(() => over.resolve());
  };
  const giveUp = (): void => {
    gone.abort();
    if (reader !== undefined) tell({ kind: "stream_over", stream, by: reader });
    end();
    events.close();
  };
  const stop = (): void => {
    if (phase === "finished") end();
    else if (isWaiting) giveUp();
  };
  const expectReader = (): void => {
    clearTimeout(timer);
    if (phase === "over") return;
    const isRunning = phase === "running";
    if (isRunning && !isWaiting && !room.stayAway(caller)) giveUp();
    else timer = setTimeout(isRunning ? giveUp : end, RESUME_WINDOW);
    isWaiting = phase === "running";
    if (stopping?.aborted) stop();
  };
  const found = (): void => {
    if (isWaiting) room.comeBack(caller);
    isWaiting = false;
    if (phase === "running") clearTimeout(timer);
  };

  /** Whoever has not got this event cannot have what comes behind it either. */
  const forget = (last: Entry): void => {
    const length = entries.splice(0, entries.indexOf(last) + 1).reduce((sum, { text = "" }) => sum + text.length, 0);
    characters -= length;
    room.release(caller, length);
  };
  /** Gives up the oldest events, which somebody was sent. */
  const makeRoom = (needed: number): boolean => {
    const isSent = ({ number, isOpen }: Entry) => !isOpen && (reader === undefined ? !isWaiting : number <= sent);
    while (characters + needed > KEPT || !room.take(caller, needed)) {
      const [oldest] = entries;
      if (oldest === undefined || !isSent(oldest)) return false;
      forget(oldest);
    }
    characters += needed;
    return true;
  };
  const begin = (): Entry => {
    numbers += 1;
    const entry: Entry = { number: numbers, isOpen: true };
    entries.push(entry);
    return entry;
  };
  const complete = (entry: Entry, text: string | undefined): void => {
    entry.isOpen = false;
    if (phase === "over") return;
    if (text === undefined || makeRoom(text.length)) entry.text = text;
    else if (isWaiting || reader !== undefined) giveUp();
    else forget(entry);
    sendOn();
  };
  /** Sends the reader what it has not got, up to what is not complete. */
  const sendOn = (): void => {
    if (reader === undefined) return;
    for (const { number, text, isOpen } of entries) {
      if (number <= sent) continue;
      if (isOpen) return;
      sent = number;
      if (text !== undefined) tell({ kind: "event", stream, by: reader, id: eventId(stream, number), text });
    }
    if (phase === "finished") tell({ kind: "stream_over", stream, by: reader });
  };
  const resume = (by: string, after: number): void => {
    const oldest = entries[0]?.number ?? numbers + 1;
    if (by === reader || phase === "over" || after > numbers || after < oldest - 1) return;
    if (reader !== undefined) tell({ kind: "stream_over", stream, by: reader });
    reader = by;
    sent = after;
    found();
    events.close();
    tell({ kind: "resumed", stream, by });
    sendOn();
  };
  const receive = (signal: SessionSignal): void => {
    if (!("stream" in signal) || signal.stream !== stream) return;
    if (signal.kind === "resume") resume(signal.by, signal.after);
    if (signal.kind === "reader_left" && signal.by === reader) {
      reader = undefined;
      expectReader();
    }
  };
  const send = (text: string): void => {
    if (phase !== "running") return;
    const entry = begin();
    events.sendText(text, eventId(stream, entry.number));
    complete(entry, text);
  };
  const openMessage = (): OpenAnswer => {
    const entry = begin();
    const message = events.gone.aborted ? undefined : events.openMessage(eventId(stream, entry.number));
    let chunks: Uint8Array[] | undefined = [];
    let length = 0;
    return {
      write: async (chunk) => {
        length += chunk.length;
        if (length > KEPT) chunks = undefined;
        chunks?.push(chunk);
        if (gone.signal.aborted) throw gone.signal.reason;
        // Where the client has gone, it is written for the one who comes back.
        if (!events.gone.aborted) await message?.write(chunk).catch(() => undefined);
      },
      commit: () => {
        message?.commit();
        if (chunks !== undefined) return complete(entry, textOf(chunks));
        // Too long to be kept.
        if (events.gone.aborted) giveUp();
        else forget(entry);
      },
      withdraw: () => {
        message?.withdraw();
        if (entry.isOpen) complete(entry, undefined);
      },
    };
  };
  const close = (): void => {
    if (phase !== "running") return;
    found();
    phase = "finished";
    gone.abort();
    events.close();
    for (const entry of entries) entry.isOpen = false;
    sendOn();
    expectReader();
  };
  stopping?.addEventListener("abort", stop, { once: true });
  events.gone.addEventListener("abort", () => {
    if (phase === "running" && reader === undefined) expectReader();
  });
  channel.follow(sessionHash, receive).then(
    (begun) => {
      following = begun;
      if (phase === "over") begun.stop();
      void begun.lost.then(() => phase === "running" && events.gone.aborted && giveUp());
    },
    // Nobody can come back, and nobody else is affected.
    () => undefined,
  );
  waitUntil(over.promise);
  return {
    ...events,
    gone: gone.signal,
    send: (message) => send(messageText(message)),
    sendText: send,
    openMessage,
    close,
  };
}
