import type { UnreachableUpstream } from "../health/health.ts";
import type { OtherProcesses } from "../health/other-processes.ts";
import type { Invocation } from "../openapi/response/invocation.ts";
import type { UpstreamGuard } from "../upstream/guard/guard.ts";

/** Which apps' upstreams answered their latest call or request, and which could not be reached. Nobody asks them for this alone. */
export interface UpstreamStates {
  /** Takes note of what a call or a request came to; without `reason` and `cause` it was answered. */
  note(app: string, outcome: Pick<Invocation, "reason" | "cause">): void;
  /** `unknown`: there was none. */
  state(app: string): "up" | "down" | "unknown";
  /** Names of apps, in the order in which they were lost. */
  unreachable(): readonly string[];
}

/** Reasons that tell of no answer. */
const NO_ANSWER: readonly (string | undefined)[] = ["unreachable", "timeout"];
/** Reasons that tell nothing: it ended before an answer could come, or was not made. */
const NO_NEWS: readonly (string | undefined)[] = [
  "agent_left",
  "client_left",
  "too_large",
  "cancelled_by_client",
  "session_ended",
  "stopped",
  "invalid_arguments",
];

/** @param others whichever process made the latest call knows best */
export function createUpstreamStates(others?: OtherProcesses): UpstreamStates {
  const lost = new Set<string>();
  const reached = new Set<string>();
  const set = (app: string, isLost: boolean): boolean => {
    const [now, before] = isLost ? [lost, reached] : [reached, lost];
    const isNew = !now.has(app);
    before.delete(app);
    now.add(app);
    return isNew;
  };
  others?.hearUpstreams(set);
  return {
    note: (app, { reason, cause }) => {
      if (NO_NEWS.includes(reason)) return;
      // What the network says is the cause of there being no answer at all.
      const isLost = NO_ANSWER.includes(reason) || cause !== undefined;
      if (set(app, isLost)) others?.tellUpstream(app, isLost);
    },
    state: (app) => (lost.has(app) ? "down" : reached.has(app) ? "up" : "unknown"),
    unreachable: () => [...lost],
  };
}

interface UpstreamHealthPorts {
  readonly upstreams: Pick<UpstreamStates, "unreachable">;
  /** Absent: the instance has no gateway. */
  readonly proxies?: { readonly guard: Pick<UpstreamGuard, "states"> };
}

/** Apps whose upstream did not answer its latest request, those of MCP servers last. */
export function unreachableUpstreams({ upstreams, proxies }: UpstreamHealthPorts): readonly UnreachableUpstream[] {
  const others = upstreams.unreachable().map((app) => ({ app }));
  const failing = proxies?.guard.states().filter(({ failures }) => failures > 0) ?? [];
  return [...others, ...failing.map(({ app, state }) => ({ app, ...(state !== "closed" && { circuit: state }) }))];
}
