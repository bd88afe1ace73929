import type { Clock } from "../../kernel/clock.ts";

/**
 * What became of a request. `late`: no whole answer came, which may be the request's own doing. `unknown`: it ended before an
 * answer could come, for example because the agent left.
 */
export type RequestOutcome = "answered" | "failed" | "late" | "unknown";

export type CircuitState = "closed" | "open" | "half_open";

/** Stops requests to an upstream that does not answer, and lets one through now and then to see whether it does again. */
export interface Circuit {
  state(): CircuitState;
  /** Requests in a row that failed. */
  failures(): number;
  /** Milliseconds until a request may go out; 0: it may now. */
  wait(): number;
  /** A request goes out; what is returned stands for it. */
  begin(): symbol;
  /** @param principal whose request it was; empty: nobody is told apart */
  end(request: symbol, outcome: RequestOutcome, principal: string): void;
}

/** Failures in a row that open it. */
export const MOST_FAILURES = 5;
/** From its opening to the trial, and from one trial to the next; milliseconds. */
export const PAUSE = 10_000;

/** @param changed told when requests are stopped, tried and let through again */
export function createCircuit(clock: Clock, changed: (state: CircuitState) => void): Circuit {
  let failures = 0;
  /** Whose requests were late since the last answer; one alone stops nothing for the others. */
  const late = new Set<string>();
  let isDown = false;
  /** Undefined: it is closed. */
  let openedAt: number | undefined;
  let trial: symbol | undefined;

  function wait(): number {
    if (openedAt === undefined) return 0;
    const passed = clock.now() - openedAt;
    // A clock that was set back does not keep it open.
    return passed < 0 ? 0 : Math.max(0, PAUSE - passed);
  }

  function open(): void {
    openedAt = clock.now();
    trial = undefined;
    changed("open");
  }

  function close(): void {
    const wasOpen = openedAt !== undefined;
    failures = 0;
    late.clear();
    isDown = false;
    openedAt = undefined;
    trial = undefined;
    if (wasOpen) changed("closed");
  }

  return {
    state: () => (openedAt === undefined ? "closed" : trial === undefined && wait() > 0 ? "open" : "half_open"),
    failures: () => failures,
    wait,
    begin: () => {
      const request = Symbol();
      if (openedAt === undefined) return request;
      trial = request;
      // The next trial's turn, if nothing is ever heard of this one.
      openedAt = clock.now();
      changed("half_open");
      return request;
    },
    end: (request, outcome, principal) => {
      if (outcome === "answered") return close();
      if (outcome === "unknown") {
        if (request !== trial) return;
        trial = undefined;
        openedAt = clock.now() - PAUSE;
        return;
      }
      failures += 1;
      if (outcome === "failed" || principal === "") isDown = true;
      else if (late.size < 2) late.add(principal);
      const isEnough = failures >= MOST_FAILURES && (isDown || late.size > 1);
      // Those that went out before it opened tell nothing new.
      if (openedAt === undefined ? isEnough : request === trial) open();
    },
  };
}
