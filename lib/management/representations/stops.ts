import type { StopChange as Changed } from "../../stops/replace-stops.ts";
import type { Stop as StopRecord } from "../../stores/stops.ts";
import type { Stop, StopChange } from "../schemas/stops.ts";

/** A stop as the management API and the command line show it. */
export function representStop({ stopId, target, organizationId, state, at, reason, by }: StopRecord): Stop {
  return {
    stopId,
    ...target,
    ...(organizationId !== undefined && { organizationId }),
    state,
    at: iso(at),
    reason,
    by,
  };
}

export function representStopChange({ stop, isEverywhere, acceptedUntil, runningUntil }: Changed): StopChange {
  return {
    ...(stop !== undefined && { stop: representStop(stop) }),
    ownTokens: isEverywhere ? "now" : "soon",
    acceptedUntil: iso(acceptedUntil),
    runningUntil: iso(runningUntil),
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
