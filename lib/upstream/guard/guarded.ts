import { isGatewayError, UpstreamRefusal } from "../refusal.ts";
import type { Upstream } from "../upstream.ts";
import { UpstreamFailure, type UpstreamFailureReason } from "../wire/upstream-failure.ts";
import type { RequestOutcome } from "./circuit.ts";
import type { Lease } from "./guard.ts";

/**
 * Does something at an upstream in its turn, and takes note of whether it answers.
 *
 * @throws UpstreamBusy; UpstreamOpen; what the work rejects with
 */
export async function guarded<T>(
  { app, signal, shared, principal }: Upstream,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await shared.guard.enter(app.name, app.concurrency, signal, principal);
  try {
    const result = await work(lease);
    lease.end("answered");
    return result;
  } catch (cause) {
    lease.end(outcomeOf(cause, signal));
    throw cause;
  }
}

/** What a request that failed tells of its upstream. */
function outcomeOf(cause: unknown, { aborted }: AbortSignal): RequestOutcome {
  if (aborted) return "unknown";
  if (cause instanceof UpstreamRefusal) return isGatewayError(cause.status) ? "failed" : "answered";
  if (!(cause instanceof UpstreamFailure)) return "unknown";
  if (cause.reason === "unreachable") return "failed";
  return LATE.has(cause.reason) ? "late" : "unknown";
}

/** `aborted`: the time was over. */
const LATE: ReadonlySet<UpstreamFailureReason> = new Set(["unanswered", "broken_off", "aborted"]);
