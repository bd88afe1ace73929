import type { Dependencies } from "../../lib/application/dependencies.ts";
import { heartbeat } from "../../lib/application/heartbeat/heartbeat.ts";
import { paced } from "../../lib/application/heartbeat/pace.ts";
import type { HeartbeatSource } from "../../lib/application/heartbeat/source.ts";
import { pause } from "../../lib/kernel/timers.ts";
import type { Background } from "../background.ts";

/** Between two events of the platform's schedule, milliseconds: neither platform has a shorter one. */
const MINUTE = 60_000;
/** The shortest time between two beats of one event, milliseconds: a platform bounds what one event may log. */
const SHORTEST = 1_000;

/** The heartbeat where an instance that serves no request is asleep, and no timer wakes it. */
export interface EdgeHeartbeat {
  /** To be called with each request: beats behind its answer, at most once an interval. */
  onRequest(waitUntil: Background["waitUntil"]): void;
  /**
   * To be called by the platform's schedule once a minute. Beats for each multiple of the interval that is in the minute of
   * the event, whichever instance gets it: so that an interval of hours is kept by instances that live for minutes (D181).
   * Where it must not wait, a request that this instance served since then has done so already.
   */
  onSchedule(scheduled: ScheduledEvent): Promise<void>;
}

interface ScheduledEvent {
  /** When it was due, milliseconds since the epoch. */
  readonly time: number;
  /** False: an instance that waits is paid for, so that all beats of the minute are one. */
  readonly mayWait: boolean;
}

export function edgeHeartbeat(
  dependencies: Pick<Dependencies, "configuration" | "logger" | "clock">,
  source: HeartbeatSource,
): EdgeHeartbeat {
  const { clock, configuration } = dependencies;
  const interval = () => configuration().configuration.health.heartbeat.interval;
  const beat = paced(clock, interval, heartbeat(dependencies, source));
  return {
    onRequest: (waitUntil) => waitUntil(Promise.resolve().then(beat.whenDue)),
    onSchedule: async ({ time, mayWait }) => {
      const due = beatsIn(time, interval());
      if (!mayWait) {
        const [first] = due;
        if (first !== undefined) beat.unlessSince(first);
        return;
      }
      // An event that is late makes up for one beat, not for all.
      const late = due.findLastIndex((at) => at <= clock.now());
      for (const at of due.slice(Math.max(late, 0))) {
        await pause(Math.max(at - clock.now(), 0));
        beat.now();
      }
    },
  };
}

/** The multiples of the interval in the minute of an event, milliseconds since the epoch. */
function beatsIn(time: number, interval: number): readonly number[] {
  const step = Math.max(interval, SHORTEST);
  const minute = Math.floor(time / MINUTE) * MINUTE;
  const times: number[] = [];
  for (let at = Math.ceil(minute / step) * step; at < minute + MINUTE; at += step) times.push(at);
  return times;
}
