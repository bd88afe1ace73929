import { pause } from "../../kernel/timers.ts";
import type { SessionChannel, SessionSignal } from "../../stores/session-channel.ts";
import type { Caller, LiveSession } from "../caller.ts";
import { closeWith } from "../event-stream.ts";
import type { StreamPlace } from "../resumable-stream.ts";
import { attachStream, type StreamPorts } from "./attach-stream.ts";
import { openStream, type StreamLimitPorts } from "./limits.ts";

export interface ResumeOptions {
  readonly place: StreamPlace;
  /** Milliseconds between two comments. */
  readonly keepAlive: number;
  /** Bytes that wait for the client. */
  readonly limit: number;
}

/** Milliseconds until somebody has to have said that the stream goes on, and between two questions. */
const PATIENCE = 2_000;
const STEP = 250;

/**
 * Goes on with a stream whose client lost its connection: with what it has not got, and with what follows. Whoever has the
 * stream may learn of the loss later than its client, so it is asked more than once.
 *
 * @returns undefined where nobody has the stream any more
 * @throws StoreUnavailableError when signals cannot be had
 */
export async function resumeStream(
  { place: { stream, after }, keepAlive, limit }: ResumeOptions,
  session: LiveSession,
  caller: Caller,
  channel: SessionChannel,
  ports: StreamPorts & StreamLimitPorts,
): Promise<Response | undefined> {
  const { sessionHash } = session.reference;
  const by = caller.request.requestId;
  const { promise: resumed, resolve } = Promise.withResolvers<true>();
  const events = openStream({ keepAlive, limit }, { ...caller, session }, ports);
  closeWith(caller.signal, events);
  const receive = (signal: SessionSignal): void => {
    if (!("stream" in signal) || signal.stream !== stream || signal.by !== by) return;
    if (signal.kind === "resumed") resolve(true);
    else if (signal.kind === "event") events.sendText(signal.text, signal.id);
    else if (signal.kind === "stream_over") events.close();
  };
  const onEnd = async (): Promise<void> => {
    await channel.publish(sessionHash, { kind: "reader_left", stream, by });
  };
  await attachStream(events, session, caller, channel, ports, { interval: keepAlive, receive, onEnd });
  for (let waited = 0; waited < PATIENCE; waited += STEP) {
    await channel.publish(sessionHash, { kind: "resume", stream, after, by });
    if (await Promise.race([resumed, pause(STEP)])) return events.response;
  }
  events.close();
  return undefined;
}
