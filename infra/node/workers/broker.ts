import type { Measurement } from "../../../lib/application/heartbeat/source.ts";
import { boundedCache } from "../../../lib/kernel/bounded-cache.ts";
import { withTimeout } from "../../../lib/kernel/timers.ts";
import type { LimitClaim, Limiter, LimitTerms, LimitVerdict } from "../../../lib/limits/limiter.ts";
import { IN_PROCESS } from "../../../lib/stops/instance-stops.ts";
import type { SettingsRecord } from "../../../lib/stores/settings.ts";
import { type WaitingCallQuota, waitingCallQuota } from "../../../lib/upstream/waiting/quota.ts";
import type { PrimaryOperations, TakenVerdict, WorkerOperations } from "./messages.ts";
import type { Peer } from "./peer.ts";

export interface BrokerPorts {
  /** Counts for the whole instance. */
  readonly limiter: Limiter;
  readonly refusals: { record: PrimaryOperations["recordRefusal"] };
  readonly useSettings: (record: SettingsRecord) => Promise<void>;
  readonly quota?: WaitingCallQuota;
}

/** What the server itself answers. */
export type OfServer = "order" | "listening" | "failed" | "drained" | "deploymentState" | "lookAtDeployment";

/** What one worker may ask for. */
export interface BrokerSeat {
  readonly operations: Omit<PrimaryOperations, OfServer>;
  /** The worker has ended: what it held is free. */
  left(): void;
}

/** The memory that the workers of an instance have in common (D195). */
export interface Broker {
  /** What the workers use together; with what this process uses. */
  measure(own: Measurement): Promise<Measurement>;
  join(worker: Peer<WorkerOperations>): BrokerSeat;
}

/** Verdicts whose claims may still be given back, and terms of limits that are known. */
const MOST_TICKETS = 10_000;
const MOST_TERMS = 1_000;
/** After it no worker uses what it knew before, also one that does not hear: kept records are not used longer. Milliseconds. */
const OUTDATED = 10_000;
/** For an answer of another worker, milliseconds: longer than it waits itself. */
const PATIENCE = 2_500;

const SUMMED = ["cpuUsage", "memoryUsage", "activeResources"] as const;

export function createBroker({ limiter, refusals, useSettings, quota = waitingCallQuota() }: BrokerPorts): Broker {
  const workers = new Set<Peer<WorkerOperations>>();
  const taken = boundedCache<number, () => void>(MOST_TICKETS);
  const known = boundedCache<string, LimitTerms>(MOST_TERMS);
  let next = 0;

  /** The limiter tells terms apart by identity, which no message keeps. */
  const sameTerms = ({ terms, ...claim }: LimitClaim): LimitClaim => {
    const name = JSON.stringify(terms);
    const found = known.get(name) ?? terms;
    known.put(name, found);
    return { ...claim, terms: found };
  };
  const ticketed = (verdict: LimitVerdict): TakenVerdict => {
    if (verdict.outcome !== "granted") return verdict;
    const { giveBack, ...granted } = verdict;
    const ticket = next++;
    taken.put(ticket, giveBack);
    return { ...granted, ticket };
  };
  /** All workers but the one that says so; one that ends meanwhile has nothing to be told. */
  const tellOthers = async (
    teller: Peer<WorkerOperations>,
    tell: (worker: Peer<WorkerOperations>) => Promise<unknown>,
    within = OUTDATED,
  ): Promise<void> => {
    const others = [...workers].filter((worker) => worker !== teller);
    await Promise.allSettled(others.map((worker) => withTimeout(within, tell(worker))));
  };

  return {
    measure: async (own) => {
      const answers = Array.from(workers, (one) => withTimeout(PATIENCE, one.call("measure")).catch(() => ({})));
      const all: readonly Measurement[] = [own, ...(await Promise.all(answers))];
      const sum = (name: (typeof SUMMED)[number]) => all.reduce((total, one) => total + (one[name] ?? 0), 0);
      return {
        ...own,
        cpuUsage: Math.min(1, round(sum("cpuUsage"))),
        memoryUsage: sum("memoryUsage"),
        activeResources: sum("activeResources"),
      };
    },
    join: (worker) => {
      workers.add(worker);
      const held = new Map<number, () => void>();
      const hold = (release: () => void): number => {
        const ticket = next++;
        held.set(ticket, release);
        return ticket;
      };
      const leave = (ticket: number): void => {
        held.get(ticket)?.();
        held.delete(ticket);
      };
      return {
        operations: {
          // In the order in which they come, to all: streams of a session tell by it which of them is the last.
          publish: async (sessionHash, signal) => {
            const handed = Array.from(workers, (each) => each.call("signal", sessionHash, signal).catch(() => 0));
            return (await Promise.all(handed)).reduce((sum, one) => sum + one, 0);
          },
          take: (claims) => {
            const verdict = limiter.take(claims.map(sameTerms));
            return verdict instanceof Promise ? verdict.then(ticketed) : ticketed(verdict);
          },
          giveBack: (ticket) => {
            taken.get(ticket)?.();
            taken.delete(ticket);
          },
          enter: async (name, key, most) => {
            const entered = await limiter.enter(name, key, most);
            return entered && hold(entered);
          },
          leave,
          recordRefusal: refusals.record,
          waits: async (principal) => {
            const { promise: over, resolve } = Promise.withResolvers<void>();
            return (await quota.enter(principal, over)) ? hold(resolve) : undefined;
          },
          clientChanged: (clientId) => tellOthers(worker, (other) => other.call("forgetClient", clientId)),
          stopsChanged: (record) =>
            tellOthers(worker, (other) => other.call("useStops", record), IN_PROCESS.settlesWithin),
          healthOfOthers: async () => {
            const others = [...workers].filter((other) => other !== worker);
            const answers = others.map((other) => withTimeout(PATIENCE, other.call("health")).catch(() => undefined));
            return (await Promise.all(answers)).filter((answer) => answer !== undefined);
          },
          upstreamChanged: (app, isLost) => tellOthers(worker, (other) => other.call("noteUpstream", app, isLost)),
          settingsChanged: async (record) => {
            await Promise.all([useSettings(record), tellOthers(worker, (other) => other.call("useSettings", record))]);
          },
        },
        left: () => {
          workers.delete(worker);
          for (const release of held.values()) release();
          held.clear();
        },
      };
    },
  };
}

/** As a single process tells its share. */
function round(share: number): number {
  return Math.round(share * 1e4) / 1e4;
}
