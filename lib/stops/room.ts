import { ProblemError } from "../kernel/problem.ts";
import {
  BY_SIGNAL,
  STOPS_OF_ALL,
  STOPS_OF_ONE,
  STOPS_OF_OTHERS,
  STOPS_OF_SIGNALS,
  type Stop,
  type StopsBound,
} from "../stores/stops.ts";

/** What ends take of the room: the rest is for suspensions, so that there is always one more. */
const ENDS = 0.75;

/**
 * One organization's stops leave room for those of others, and all of them for those of the operator. Of each room a part is for
 * suspensions alone. What identity providers bring about has a room of its own, and leaves them theirs.
 */
export function checkRoom(stops: readonly Stop[], { organizationId, state, by }: Stop): void {
  const share = state === "ended" ? ENDS : 1;
  const of = (whose: string, bound: StopsBound, all: readonly Stop[]) => {
    const counted = all.filter((one) => state !== "ended" || one.state === "ended");
    const most = { stops: bound.stops * share, bytes: bound.bytes * share };
    if (counted.length <= most.stops && bytesOf(counted) <= most.bytes) return;
    const what = state === "ended" ? "ends" : "stops";
    const instead = state === "ended" ? "Suspend it instead." : "Resume what need not be stopped.";
    const text = `${whose} at most ${most.stops} ${what} or ${most.bytes / 1024} KiB of their texts. ${instead}`;
    throw new ProblemError("conflict", `${text}${roomFrom(counted)}`);
  };
  if (organizationId !== undefined) {
    of(
      "An organization has",
      STOPS_OF_ONE,
      stops.filter((one) => one.organizationId === organizationId),
    );
    of(
      "All organizations but the first have together",
      STOPS_OF_OTHERS,
      stops.filter((one) => one.organizationId !== undefined),
    );
  }
  if (by.startsWith(BY_SIGNAL)) {
    of(
      "Events of identity providers have together",
      STOPS_OF_SIGNALS,
      stops.filter((one) => one.by.startsWith(BY_SIGNAL)),
    );
  }
  of("The instance has", STOPS_OF_ALL, stops);
}

function roomFrom(stops: readonly Stop[]): string {
  const first = Math.min(...stops.map(({ until = Number.POSITIVE_INFINITY }) => until));
  return Number.isFinite(first) ? ` An end is forgotten on ${new Date(first).toISOString().slice(0, 10)}.` : "";
}

function bytesOf(stops: readonly Stop[]): number {
  return new TextEncoder().encode(JSON.stringify(stops)).byteLength;
}
