import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { KnownSessions } from "../directory/known-sessions.ts";
import type { Timers } from "../kernel/timers.ts";
import { causeOf } from "../logging/cause.ts";
import type { InstanceStops } from "../stops/instance-stops.ts";
import type { RequestContext } from "../telemetry/request-context.ts";

/** Why something that stays open is ended, with the code that WebSockets have for it (RFC 6455 section 7.4). */
export interface Ending {
  readonly code: number;
  /** For the client. */
  readonly reason: string;
}

export const SESSION_ENDED: Ending = { code: 4401, reason: "The session has ended." };
export const DENIED: Ending = { code: 4403, reason: "Not allowed any more." };
/** Service restart. */
export const CHANGED: Ending = { code: 1012, reason: "The configuration has changed. Connect again." };
/** Try again later. */
export const NOT_CHECKED: Ending = { code: 1013, reason: "Access could not be checked. Try again later." };

/** Milliseconds between two looks at whether somebody may still have what is open. */
const INTERVAL = 5 * 60_000;

export interface StaysOpenPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly knownSessions: Pick<KnownSessions, "onEnd">;
  readonly instanceStops: Pick<InstanceStops, "watch" | "revision">;
  readonly timers: Timers;
}

/** What stays open after its request was decided on: a WebSocket, or a stream of events. */
export interface StaysOpen {
  /** Of the person whose it is. */
  readonly sessionHash?: string | undefined;
  /** Decides anew; undefined: it may stay open. */
  readonly decide: () => Promise<Ending | undefined>;
  /** Ends it. Called once at most. */
  readonly end: (ending: Ending) => void;
  readonly context: Pick<RequestContext, "logger">;
}

/**
 * Watches over what stays open. It is ended when its session ends, and whenever a look says so: at once, as something may have
 * changed while it was opened, with each change of what is stopped, and every five minutes. A change of the configuration ends
 * it with the next look, as it was decided on by the former one.
 *
 * @returns ends the watch; to be called when it is over
 */
export function watchOver({ sessionHash, decide, end, context }: StaysOpen, ports: StaysOpenPorts): () => void {
  const { configuration, knownSessions, instanceStops, timers } = ports;
  const { revision } = configuration();
  const undo: (() => void)[] = [];
  let isOver = false;
  let stops = instanceStops.revision();

  const stop = (): void => {
    isOver = true;
    for (const one of undo.splice(0)) one();
  };
  const finish = (ending: Ending): void => {
    if (isOver) return;
    stop();
    context.logger.info("open connection ended", { code: ending.code });
    end(ending);
  };
  const look = async (): Promise<void> => {
    const ending = configuration().revision === revision ? await decide() : CHANGED;
    if (ending !== undefined) finish(ending);
  };
  const lookNow = (): void => {
    void look().catch((cause: unknown) => {
      context.logger.warn("open connection could not be checked", { cause: causeOf(cause) });
      finish(NOT_CHECKED);
    });
  };
  const watchStops = (): boolean => {
    const now = instanceStops.revision();
    if (now !== stops) lookNow();
    stops = now;
    return false;
  };

  if (sessionHash !== undefined) {
    // It may be another request that learns of the end. A promise goes on where it is waited for (D29).
    const ended = Promise.withResolvers<void>();
    void ended.promise.then(() => finish(SESSION_ENDED));
    undo.push(knownSessions.onEnd(sessionHash, ended.resolve));
  }
  undo.push(
    instanceStops.watch(watchStops, () => undefined),
    timers.every(INTERVAL, lookNow),
  );
  lookNow();
  return stop;
}

/** A body that somebody else can end, whatever its source does. `ended` is called once it is over. */
export function endableBody(
  source: ReadableStream<Uint8Array>,
  ended: () => void,
): { readonly body: ReadableStream<Uint8Array>; readonly end: () => void } {
  const reader = source.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const next = await reader.read();
          if (!next.done) return controller.enqueue(next.value);
          controller.close();
        } catch (cause) {
          controller.error(cause);
        }
        ended();
      },
      cancel: (reason) => {
        ended();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  // Whoever reads finds that nothing more comes.
  return { body, end: () => void reader.cancel("ended").catch(() => undefined) };
}
