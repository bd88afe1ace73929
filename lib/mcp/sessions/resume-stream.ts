import { callerKey } from "../../gateway/identity.ts";
import type { Random } from "../../kernel/random.ts";
import { pause } from "../../kernel/timers.ts";
import type { SessionChannel, SessionSignal } from "../../stores/session-channel.ts";
import type { Caller, LiveSession } from "../caller.ts";
import { closeWith, type EventStream, type EventStreamOptions } from "../event-stream.ts";
import type { Resumption, StreamKind, StreamPlace } from "../resumable-stream.ts";
import type { ResumptionRoom } from "../resumption-room.ts";
import { attachStream, type StreamPorts } from "./attach-stream.ts";
import { openStream, type StreamLimitPorts } from "./limits.ts";

export interface ResumptionPorts {
  readonly resumptionRoom: ResumptionRoom;
  readonly random: Random;
  readonly sessionChannel?: SessionChannel | undefined;
  readonly stopping?: AbortSignal | undefined;
}

/** Clients of revisions before this one do not know a first event without data. */
const RESUMABLE_SINCE = "2025-11-25";

/** What makes a stream of the caller one to come back to. Undefined: it has no session, or one of an older revision. */
export function resumptionOf(
  kind: StreamKind,
  { session, request, identity }: Pick<Caller, "session" | "request" | "identity">,
  { sessionChannel: channel, resumptionRoom: room, random, stopping }: ResumptionPorts,
): Resumption | undefined {
  if (session === undefined || channel === undefined) return undefined;
  if (session.record.protocolVersion < RESUMABLE_SINCE) return undefined;
  const { waitUntil } = request;
  const { sessionHash } = session.reference;
  return { kind, sessionHash, channel, caller: callerKey({ identity, request }), room, random, waitUntil, stopping };
}

/** Milliseconds to wait for an answer to each question whether a stream goes on. */
const STEPS = [250, 500, 1_250];
/** Milliseconds until the lost stream has said everything. */
const PATIENCE = 2_000;

/**
 * Goes on with the stream of a call whose client lost its connection: with what it has not got, and with what follows. Whoever
 * has the stream may begin to listen later than its client comes back, so it is asked more than once.
 *
 * @returns undefined where nothing is left of the stream, or the client has gone again
 * @throws StoreUnavailableError when signals cannot be had
 */
export async function resumeCall(
  { stream, after }: StreamPlace,
  terms: EventStreamOptions & { readonly keepAlive: number },
  session: LiveSession,
  caller: Caller,
  channel: SessionChannel,
  ports: StreamPorts & StreamLimitPorts,
): Promise<Response | undefined> {
  const { sessionHash } = session.reference;
  const by = caller.request.requestId;
  const { promise: answered, resolve } = Promise.withResolvers<boolean>();
  /** Whoever has the stream has been heard since the last question. */
  let isHeard = false;
  const events = openStream(terms, { ...caller, session }, ports);
  closeWith(caller.signal, events);
  const receive = (signal: SessionSignal): void => {
    if (!("stream" in signal) || signal.stream !== stream || signal.by !== by) return;
    isHeard = true;
    if (signal.kind === "resumed") resolve(true);
    else if (signal.kind === "event") events.sendText(signal.text, signal.id);
    else if (signal.kind === "stream_over") {
      resolve(false);
      events.close();
    }
  };
  const ask = () => channel.publish(sessionHash, { kind: "resume", stream, after, by });
  const leave = () => channel.publish(sessionHash, { kind: "reader_left", stream, by });
  const onEnd = async (): Promise<void> => {
    clearInterval(watching);
    await leave();
  };
  // An instance that is gone says nothing, and its client would wait.
  const watching = setInterval(() => {
    if (!isHeard) return events.close();
    isHeard = false;
    void ask();
  }, terms.keepAlive);
  await attachStream(events, session, caller, channel, ports, { interval: terms.keepAlive, receive, onEnd });
  if (await isAnswered(ask, answered, caller.signal)) return events.response;
  events.close();
  // The last question may have come behind the client's leaving.
  await leave();
  return undefined;
}

/** Asks until there is an answer or nobody waits for one. */
async function isAnswered(
  ask: () => Promise<unknown>,
  answered: Promise<boolean>,
  gone: AbortSignal,
): Promise<boolean> {
  for (const step of STEPS) {
    if (gone.aborted) return false;
    await ask();
    const answer = await Promise.race([answered, pause(step, gone)]);
    if (answer !== undefined) return answer;
  }
  return false;
}

/** A stream of a session that goes on where another one was lost. */
export interface Continued {
  /** Takes what the session is told. It goes out behind what the lost stream has. */
  readonly stream: EventStream;
  /** Takes every signal before the stream does. */
  readonly overhear: (signal: SessionSignal) => void;
  /** Asks for what the lost stream has, and takes its place. */
  readonly takeOver: () => Promise<void>;
}

/**
 * The stream of a session in place of one that was lost. Both hear the same signals in the same order. What comes before the
 * new one has replaced the lost one is told by that, and everything behind it by the new one.
 */
export function continueStream(
  { stream: lost, after }: StreamPlace,
  events: EventStream,
  sessionHash: string,
  by: string,
  channel: SessionChannel,
): Continued {
  const { promise: answered, resolve } = Promise.withResolvers<boolean>();
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  let isResumed = false;
  let waiting: (() => void)[] | undefined = [];
  const inTurn = (send: () => void): void => {
    if (waiting === undefined) send();
    else waiting.push(send);
  };
  const goOn = (): void => {
    const held = waiting ?? [];
    waiting = undefined;
    for (const send of held) send();
  };
  return {
    stream: {
      ...events,
      send: (message) => inTurn(() => events.send(message)),
      sendText: (json) => inTurn(() => events.sendText(json)),
    },
    overhear: (signal) => {
      if (signal.kind === "replaced" && signal.by === by) waiting?.splice(0, isResumed ? waiting.length : 0);
      if (!("stream" in signal) || signal.stream !== lost || signal.by !== by) return;
      if (signal.kind === "resumed") {
        isResumed = true;
        resolve(true);
      } else if (signal.kind === "event") events.sendText(signal.text);
      else if (signal.kind === "stream_over") {
        resolve(false);
        end();
      }
    },
    takeOver: async () => {
      const ask = () => channel.publish(sessionHash, { kind: "resume", stream: lost, after, by });
      await isAnswered(ask, answered, events.gone);
      if (events.gone.aborted) return;
      await channel.publish(sessionHash, { kind: "replaced", by });
      if (isResumed) await Promise.race([isOver, pause(PATIENCE)]);
      goOn();
    },
  };
}
