import type { Clock } from "../../kernel/clock.ts";
import { pollUntil } from "../../kernel/timers.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type Circuit, type CircuitState, createCircuit, type RequestOutcome } from "./circuit.ts";
import { createPlaces, type Places } from "./places.ts";

/** Which requests go out to the upstreams of apps, and how many at once. Of one instance. */
export interface UpstreamGuard {
  /**
   * Resolves when the request may go out. Rejects with `UpstreamBusy` or `UpstreamOpen`, and with the signal's reason once
   * that aborts.
   *
   * @param concurrency how many may run at the same time; one principal may have three quarters of them, and of those that wait
   * @param principal whose request it is; empty: nobody is told apart
   */
  enter(app: string, concurrency: number, signal: AbortSignal, principal?: string): Promise<Lease>;
  /** Of the apps that were asked for anything. */
  states(): readonly UpstreamState[];
}

/** A request that runs. */
export interface Lease {
  /**
   * To be called once, when the request has ended; what is called again does nothing. `failed`: there was no answer, or
   * one that only says that there is none (`isGatewayError`).
   */
  end(outcome: RequestOutcome): void;
}

export interface UpstreamState {
  readonly app: string;
  readonly state: CircuitState;
  /** Requests in a row that failed. */
  readonly failures: number;
  readonly running: number;
}

export interface GuardPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry?: Telemetry | undefined;
}

/** How long a request waits for its turn, milliseconds. */
const PATIENCE = 10_000;
/** So many times as may run may wait. */
const QUEUE = 4;

interface Guarded {
  readonly circuit: Circuit;
  readonly places: Places;
}

/** @param patience how long a request waits for its turn at most, milliseconds */
export function createUpstreamGuard(ports: GuardPorts, patience = PATIENCE): UpstreamGuard {
  const { clock, telemetry } = ports;
  const apps = new Map<string, Guarded>();

  function guardedOf(app: string): Guarded {
    const known = apps.get(app);
    if (known !== undefined) return known;
    const circuit = createCircuit(clock, (state) => tellChange(app, state, ports));
    const guarded = { circuit, places: createPlaces(clock, patience) };
    apps.set(app, guarded);
    return guarded;
  }

  /** Waits by looking now and then: the requests that it waits for are others' (D29). */
  async function waitForLease(
    app: string,
    { circuit, places }: Guarded,
    { concurrency, signal, principal }: Entering,
  ): Promise<Lease | undefined> {
    if (!hasTurn(places, QUEUE * concurrency, principal)) return undefined;
    const turn = places.queue(principal);
    let lease: Lease | undefined;
    const isDecided = () => {
      if (lease !== undefined || signal.aborted || circuit.wait() > 0) return true;
      // Taken at once, so that no two take the last place.
      if (hasRoom(places, concurrency, principal)) lease = leaseOf(guardedOf(app), principal);
      return lease !== undefined;
    };
    try {
      await pollUntil(isDecided, patience);
    } finally {
      turn.end();
    }
    return lease;
  }

  function refuse(app: string, refusal: UpstreamBusy | UpstreamOpen): never {
    const outcome = refusal instanceof UpstreamOpen ? "open" : "busy";
    telemetry?.record("countersign.upstream.refusals", 1, { "countersign.app": app, "countersign.outcome": outcome });
    throw refusal;
  }

  function refuseWhileOpen(app: string, { circuit }: Guarded): void {
    const retryAfter = circuit.wait();
    if (retryAfter > 0) refuse(app, new UpstreamOpen(app, retryAfter));
  }

  return {
    async enter(app, concurrency, signal, principal = "") {
      signal.throwIfAborted();
      const guarded = guardedOf(app);
      refuseWhileOpen(app, guarded);
      const { places } = guarded;
      // Whoever comes while others wait does not go before them.
      if (hasRoom(places, concurrency, principal) && places.waiting() === 0) return leaseOf(guarded, principal);
      const lease = await waitForLease(app, guarded, { concurrency, signal, principal });
      if (lease !== undefined) return lease;
      signal.throwIfAborted();
      refuseWhileOpen(app, guarded);
      return refuse(app, new UpstreamBusy(app));
    },
    states: () =>
      Array.from(apps, ([app, { circuit, places }]) => ({
        app,
        state: circuit.state(),
        failures: circuit.failures(),
        running: places.running(),
      })),
  };
}

interface Entering {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly principal: string;
}

function hasRoom(places: Places, concurrency: number, principal: string): boolean {
  return places.running() < concurrency && places.runningOf(principal) < shareOf(concurrency, principal);
}

function hasTurn(places: Places, queue: number, principal: string): boolean {
  return places.waiting() < queue && places.waitingOf(principal) < shareOf(queue, principal);
}

/** One principal leaves some of everything to the others. */
function shareOf(all: number, principal: string): number {
  return principal === "" ? all : Math.ceil(all * 0.75);
}

function leaseOf({ circuit, places }: Guarded, principal: string): Lease {
  const request = circuit.begin();
  const place = places.take(principal);
  let hasEnded = false;
  return {
    end: (outcome) => {
      if (hasEnded) return;
      hasEnded = true;
      place.end();
      circuit.end(request, outcome, principal);
    },
  };
}

function tellChange(app: string, state: CircuitState, { logger, telemetry }: GuardPorts): void {
  const outcome = { closed: "closed", open: "opened", half_open: "tried" }[state];
  telemetry?.record("countersign.upstream.circuit.changes", 1, {
    "countersign.app": app,
    "countersign.outcome": outcome,
  });
  if (state === "open") logger.warn("the upstream does not answer; nothing is sent to it for now", { app });
  else if (state === "closed") logger.info("the upstream answers again", { app });
}

/** Too many requests to the upstream run already, and too many others wait, or this one has waited for too long. */
export class UpstreamBusy extends Error {
  readonly app: string;

  constructor(app: string) {
    super(`The app ${app} has as many requests at once as it may have.`);
    this.name = "UpstreamBusy";
    this.app = app;
  }
}

/** The upstream has not answered for several times: nothing is sent to it for now. */
export class UpstreamOpen extends Error {
  readonly app: string;
  /** Milliseconds until it is tried again. */
  readonly retryAfter: number;

  constructor(app: string, retryAfter: number) {
    super(`The app ${app} did not answer repeatedly; it is tried again in ${Math.ceil(retryAfter / 1_000)} s.`);
    this.name = "UpstreamOpen";
    this.app = app;
    this.retryAfter = retryAfter;
  }
}
