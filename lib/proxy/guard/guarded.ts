import { UpstreamRefusal } from "../refusal.ts";
import type { Upstream } from "../upstream.ts";
import { UpstreamFailure } from "../wire/upstream-failure.ts";
import type { RequestOutcome } from "./circuit.ts";
import { isGatewayError } from "./guard.ts";

/**
 * Does something at an upstream in its turn, and takes note of whether it answers.
 *
 * @throws UpstreamBusy; UpstreamOpen; what the work rejects with
 */
export async function guarded<T>({ app, signal, shared }: Upstream, work: () => Promise<T>): Promise<T> {
  const lease = await shared.guard.enter(app.name, app.concurrency, signal);
  try {
    const result = await work();
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
  return cause instanceof UpstreamFailure && NO_ANSWER.has(cause.reason) ? "failed" : "unknown";
}

/** `aborted`: the time was over. */
const NO_ANSWER: ReadonlySet<string> = new Set(["unreachable", "broken_off", "aborted"]);
