import { base64url } from "../kernel/encoding.ts";
import type { Random } from "../kernel/random.ts";
import type { Following, SessionChannel, SessionSignal } from "../stores/session-channel.ts";
import { createEventStream, type EventStream, type EventStreamOptions, streamOver } from "./event-stream.ts";
import { createKeptEvents, KEPT, type KeptEvent } from "./kept-events.ts";
import { messageText, type OpenAnswer, textOf } from "./outlet.ts";
import type { ResumptionRoom } from "./resumption-room.ts";

/** What makes the stream of a session's request one that its client can come back to. */
export interface Resumption {
  readonly kind: StreamKind;
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

/** What a stream is of. */
export type StreamKind = "call" | "session";

/** Where in a stream a client was: its id, and the number of the last event that it has. */
export interface StreamPlace {
  readonly kind: StreamKind;
  readonly stream: string;
  readonly after: number;
}

/** Milliseconds that a stream waits for its client, and that it can be had after its end. */
export const RESUME_WINDOW = 30_000;
/** Milliseconds that a client waits before it comes back, unless the connection says otherwise. */
const RETRY = 1_000;
/** Characters that are on their way to a reader. */
const UNDERWAY = 4 * KEPT;
/** Readers that have left, whose questions may come behind that. */
const DEPARTED = 20;

const KINDS: Readonly<Record<string, StreamKind>> = { c: "call", s: "session" };

/** @returns undefined where it is no event id of ours */
export function readEventId(id: string | null): StreamPlace | undefined {
  const [, stream, letter = "", after] = /^(([cs])[\w-]{22})\.(\d{1,9})$/.exec(id ?? "") ?? [];
  const kind = KINDS[letter];
  return stream === undefined || kind === undefined ? undefined : { kind, stream, after: Number(after) };
}

function eventId(stream: string, number: number): string {
  return `${stream}.${number}`;
}

/**
 * An event stream whose client may lose its connection and come back with a GET for what it has missed (MCP 2025-11-25,
 * Transports, Resumability and Redelivery). What the request does goes on meanwhile. The GET may come to another instance:
 * both speak by the channel of the session.
 */
export function createResumableStream(options: EventStreamOptions, resumption: Resumption): EventStream {
  const { kind, sessionHash, channel, caller, room, random, waitUntil, stopping } = resumption;
  const stream = `${kind[0]}${base64url(random.bytes(16))}`;
  const first = `id: ${eventId(stream, 0)}\nretry: ${RETRY}\ndata: \n\n`;
  // The answer is not known to what is kept behind its end.
  const { response, ...events } = createEventStream({ ...options, first });
  const gone = new AbortController();
  const over = Promise.withResolvers<void>();
  const kept = createKeptEvents(caller, room);
  /** The request that reads instead of the first one. */
  let reader: string | undefined;
  /** The last event that the reader was sent. */
  let sent = 0;
  let phase: "running" | "finished" | "over" = "running";
  /** It goes on without a client, and counts as one that does. */
  let isAway = false;
  /** When it is over at the latest, where the runtime says so; from the time on that its first client left. */
  let lastChance: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let following: Following | "failed" | undefined;
  let told: Promise<unknown> = Promise.resolve();
  let underway = 0;
  const departed: string[] = [];

  const tell = (signal: SessionSignal): void => {
    const characters = signal.kind === "event" ? signal.text.length : 0;
    underway += characters;
    // One behind the other, as each may be a request of its own.
    told = told.then(async () => {
      await channel.publish(sessionHash, signal);
      underway -= characters;
    });
  };
  const end = (): void => {
    if (phase === "over") return;
    phase = "over";
    clearTimeout(timer);
    if (following !== "failed") following?.stop();
    stopping?.removeEventListener("abort", stop);
    kept.clear();
    comeBack();
    void told.then(() => over.resolve());
  };
  const giveUp = (): void => {
    if (phase !== "running") return;
    gone.abort(streamOver());
    if (reader !== undefined) tell({ kind: "stream_over", stream, by: reader });
    end();
    events.close();
  };
  const stop = (): void => {
    if (phase === "finished") end();
    else if (isAway) giveUp();
  };
  /** Its client has left. */
  const goAway = (): void => {
    if (phase !== "running" || isAway) return;
    clearTimeout(timer);
    const now = performance.now();
    lastChance ??= channel.outlives === undefined ? undefined : now + channel.outlives;
    isAway = following !== "failed" && !stopping?.aborted && room.stayAway(caller);
    // A call goes on; what a session is told is all that its stream has.
    if (kind === "session") gone.abort(streamOver());
    if (isAway) timer = setTimeout(giveUp, Math.min(RESUME_WINDOW, (lastChance ?? Number.POSITIVE_INFINITY) - now));
    else giveUp();
  };
  const comeBack = (): void => {
    if (isAway) room.comeBack(caller);
    isAway = false;
  };
  /** It has a client again, for as long as the runtime lets it. */
  const found = (): void => {
    comeBack();
    if (phase !== "running") return;
    clearTimeout(timer);
    if (lastChance !== undefined) timer = setTimeout(giveUp, lastChance - performance.now());
  };

  const isReceived = ({ number }: KeptEvent) => (reader === undefined ? !isAway : number <= sent);
  const complete = (event: KeptEvent, text: string | undefined): void => {
    if (phase === "over") return;
    if (text !== undefined && !kept.complete(event, text, isReceived)) withoutRoom(event, text);
    else if (text === undefined) kept.complete(event, undefined, isReceived);
    sendOn();
  };
  /** What is too long to be kept goes to the one who is there, and can be had no more. */
  const withoutRoom = (event: KeptEvent, text: string): void => {
    const next = kept.completeAfter(sent).filter(({ number }) => number <= event.number);
    const isNext = next.at(-1)?.number === event.number;
    if (isAway || (reader !== undefined && !isNext)) giveUp();
    else if (reader !== undefined) sendAll([...next.slice(0, -1), { ...event, text }], reader);
    kept.forget(event);
  };
  const sendAll = (events: readonly KeptEvent[], by: string): void => {
    for (const { number, text } of events) {
      sent = number;
      if (text !== undefined) tell({ kind: "event", stream, by, id: eventId(stream, number), text });
    }
  };
  /** Sends the reader what it has not got, up to what is not complete. */
  const sendOn = (): void => {
    if (underway > UNDERWAY) giveUp();
    if (reader === undefined || phase === "over") return;
    sendAll(kept.completeAfter(sent), reader);
    if (phase === "finished") tell({ kind: "stream_over", stream, by: reader });
  };
  const resume = (by: string, after: number): void => {
    if (phase === "over" || departed.includes(by)) return;
    const isLeft = kept.hasAllAfter(after) && (phase === "running" || after < kept.latest());
    // A reader asks again whether somebody is still there.
    if (by === reader || !isLeft) {
      tell({ kind: by === reader ? "resumed" : "stream_over", stream, by });
      return;
    }
    if (reader !== undefined) tell({ kind: "stream_over", stream, by: reader });
    reader = by;
    sent = after;
    found();
    events.close();
    tell({ kind: "resumed", stream, by });
    sendOn();
  };
  /** Keeps what the session is told while nobody hears it. */
  const keepTold = (signal: SessionSignal): void => {
    if (signal.kind === "message") add(messageText(signal.message));
    else if (signal.kind === "text") add(signal.text);
    else if (signal.kind === "replaced") close();
    else if (signal.kind === "ended") end();
  };
  const receive = (signal: SessionSignal): void => {
    if (kind === "session" && phase === "running" && gone.signal.aborted) keepTold(signal);
    if (!("stream" in signal) || signal.stream !== stream) return;
    if (signal.kind === "resume") resume(signal.by, signal.after);
    if (signal.kind !== "reader_left") return;
    departed.push(signal.by);
    departed.splice(0, departed.length - DEPARTED);
    if (signal.by !== reader) return;
    reader = undefined;
    goAway();
  };
  const add = (text: string): void => {
    const event = kept.begin();
    events.sendText(text, eventId(stream, event.number));
    complete(event, text);
  };
  const send = (text: string): void => {
    if (phase === "running" && !gone.signal.aborted) add(text);
  };
  const openMessage = (): OpenAnswer => {
    const event = kept.begin();
    const message = events.gone.aborted ? undefined : events.openMessage(eventId(stream, event.number));
    let chunks: Uint8Array[] | undefined = [];
    let length = 0;
    const isDropped = (chunk: Uint8Array): boolean => {
      length += chunk.length;
      if (length > KEPT) chunks = undefined;
      chunks?.push(chunk);
      return chunks === undefined;
    };
    return {
      write: async (chunk) => {
        // There is nobody whom it could reach any more.
        if (isDropped(chunk) && events.gone.aborted) giveUp();
        if (gone.signal.aborted) throw new DOMException("Nobody reads the answer any more.", "AbortError");
        // Where the client has gone, it is written for the one who comes back.
        if (!events.gone.aborted) await message?.write(chunk).catch(() => undefined);
      },
      commit: () => {
        message?.commit();
        if (chunks !== undefined) complete(event, textOf(chunks));
        else if (events.gone.aborted) giveUp();
        else kept.forget(event);
      },
      withdraw: () => {
        message?.withdraw();
        complete(event, undefined);
      },
    };
  };
  const close = (): void => {
    if (phase !== "running") return;
    phase = "finished";
    clearTimeout(timer);
    comeBack();
    gone.abort(streamOver());
    events.close();
    kept.closeAll();
    sendOn();
    if (stopping?.aborted || following === "failed") end();
    else timer = setTimeout(end, channel.outlives ?? RESUME_WINDOW);
  };
  stopping?.addEventListener("abort", stop, { once: true });
  events.gone.addEventListener("abort", () => {
    if (reader === undefined) goAway();
  });
  const fail = (): void => {
    // Nobody can come back any more, and who is there is not affected.
    following = "failed";
    if (events.gone.aborted) giveUp();
  };
  channel.follow(sessionHash, receive).then((begun) => {
    following = begun;
    if (phase === "over") begun.stop();
    else void begun.lost.then(fail);
  }, fail);
  // Elsewhere there is nothing to keep alive.
  if (channel.outlives !== undefined) waitUntil(over.promise);
  return {
    ...events,
    response,
    gone: gone.signal,
    send: (message) => send(messageText(message)),
    sendText: send,
    openMessage,
    close,
  };
}
