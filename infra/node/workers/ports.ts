import type { RefusalLog } from "../../../lib/audit/refusals.ts";
import type { HealthReport } from "../../../lib/health/health.ts";
import type { OtherProcesses } from "../../../lib/health/other-processes.ts";
import type { Random } from "../../../lib/kernel/random.ts";
import type { Limiter } from "../../../lib/limits/limiter.ts";
import { localSessionChannel } from "../../../lib/mcp/sessions/local-channel.ts";
import type { SessionChannel } from "../../../lib/stores/session-channel.ts";
import { localWaitingCalls } from "../../../lib/upstream/waiting/local-calls.ts";
import type { WaitingCallQuota } from "../../../lib/upstream/waiting/quota.ts";
import type { WaitingCalls } from "../../../lib/upstream/waiting/waiting-calls.ts";
import type { PrimaryOperations, WorkerOperations } from "./messages.ts";
import type { Peer } from "./peer.ts";

type Primary = Pick<Peer<PrimaryOperations>, "call">;

/** The ports of a worker whose memory is the primary's: what it counts and tells is the same in all workers (D195). */
export interface SharedPorts {
  readonly limiter: Limiter;
  readonly refusals: RefusalLog;
  readonly sessionChannel: SessionChannel;
  /** Calls that wait in this worker; counted with those of the others. */
  readonly waitingHere: (random: Random) => WaitingCalls;
  /** Tells the other workers that what they know of a client is old. Resolves when they know. */
  readonly clientChanged: (clientId: string) => Promise<void>;
  readonly otherProcesses: OtherProcesses;
}

/** What the primary asks of the ports. */
type Answering = Pick<WorkerOperations, "signal" | "health" | "noteUpstream">;

/** @returns also what answers the primary */
export function sharedPorts(primary: Primary): { readonly ports: SharedPorts; readonly answering: Answering } {
  const here = localSessionChannel();
  let health: () => Promise<HealthReport> = async () => ({ status: "up" });
  let noteUpstream: Answering["noteUpstream"] = ignore;
  const otherProcesses: OtherProcesses = {
    health: () => primary.call("healthOfOthers").catch(() => []),
    answerHealth: (check) => {
      health = check;
    },
    tellUpstream: (app, isLost) => void primary.call("upstreamChanged", app, isLost).catch(ignore),
    hearUpstreams: (listener) => {
      noteUpstream = listener;
    },
  };
  const ports = portsOf(primary, here, otherProcesses);
  const answering: Answering = {
    // Whoever follows the session here has it.
    signal: here.publish,
    health: () => health(),
    noteUpstream: (app, isLost) => noteUpstream(app, isLost),
  };
  return { ports, answering };
}

function portsOf(primary: Primary, here: SessionChannel, otherProcesses: OtherProcesses): SharedPorts {
  return {
    limiter: sharedLimiter(primary),
    refusals: {
      record: (event) => primary.call("recordRefusal", event),
      // The primary writes the counts.
      flushDue: () => undefined,
      flush: () => Promise.resolve(),
    },
    sessionChannel: {
      // By way of the primary also to this worker, so that all have the same order.
      publish: (sessionHash, signal) => primary.call("publish", sessionHash, signal).catch(() => 0),
      follow: here.follow,
    },
    waitingHere: (random) => localWaitingCalls(random, sharedQuota(primary)),
    clientChanged: (clientId) => primary.call("clientChanged", clientId),
    otherProcesses,
  };
}

function sharedLimiter(primary: Primary): Limiter {
  return {
    take: async (claims) => {
      const verdict = await primary.call("take", claims);
      if (verdict.outcome !== "granted") return verdict;
      const { ticket, ...granted } = verdict;
      return { ...granted, giveBack: () => void primary.call("giveBack", ticket).catch(ignore) };
    },
    enter: async (name, key, most) => {
      const ticket = await primary.call("enter", name, key, most);
      return ticket === undefined ? undefined : () => void primary.call("leave", ticket).catch(ignore);
    },
  };
}

function sharedQuota(primary: Primary): WaitingCallQuota {
  return {
    enter: async (principal, over) => {
      const ticket = await primary.call("waits", principal);
      if (ticket === undefined) return false;
      void over.then(() => primary.call("leave", ticket)).catch(ignore);
      return true;
    },
  };
}

function ignore(): void {
  // The primary has ended, and so does this process.
}
