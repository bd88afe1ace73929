import type { RequestContext } from "../dependencies.ts";
import type { Decision, Policy } from "../policy/policy.ts";

/** Where and for whom a policy decides. */
export interface PolicyUse {
  readonly policy: Policy;
  readonly app: string;
  readonly request: RequestContext;
}

/** Lets a policy decide, as a part of the request's trace; tells the log when it could not. */
export async function measurePolicy<T>(
  { policy, app, request }: PolicyUse,
  decide: () => T | Promise<T>,
  outcomeOf: (decided: T) => Decision,
): Promise<T> {
  const { logger, telemetry } = request;
  const span = telemetry?.span?.startChild({ name: `policy ${policy.name}`, kind: "internal" });
  const beganAt = performance.now();
  const decided = await decide();
  const decision = outcomeOf(decided);
  const failure = decision.outcome === "failed" ? decision.failure : undefined;
  const attributes = {
    "countersign.app": app,
    "countersign.policy": policy.name,
    "countersign.outcome": decision.outcome,
    "error.type": failure,
  };
  telemetry?.record("countersign.policy.duration", (performance.now() - beganAt) / 1_000, attributes);
  span?.set(attributes);
  span?.end(failure);
  if (failure !== undefined) logger.warn("policy could not decide", { app, policy: policy.name, failure });
  return decided;
}
