import type { Invocation } from "../bridge/response/invocation.ts";

/** Which apps' upstreams could not be reached by their latest call. Nobody asks them for this alone. */
export interface UpstreamStates {
  /** Takes note of a call's outcome. */
  note(app: string, invocation: Invocation): void;
  /** Names of apps, in the order in which they were lost. */
  unreachable(): readonly string[];
}

/** Reasons of an invocation that tell of no answer. */
const NO_ANSWER: readonly (string | undefined)[] = ["unreachable", "timeout"];
/** Reasons that tell nothing: the call ended before an answer could come, or was not made. */
const NO_NEWS: readonly (string | undefined)[] = [
  "agent_left",
  "cancelled_by_client",
  "session_ended",
  "invalid_arguments",
];

export function createUpstreamStates(): UpstreamStates {
  const lost = new Set<string>();
  return {
    note: (app, { reason }) => {
      if (NO_NEWS.includes(reason)) return;
      if (NO_ANSWER.includes(reason)) lost.add(app);
      else lost.delete(app);
    },
    unreachable: () => [...lost],
  };
}
