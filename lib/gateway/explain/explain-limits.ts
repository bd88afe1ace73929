import type { Configuration } from "../../config/configuration.ts";
import { applyingLimits, type CallEndpoint } from "../../limits/limits.ts";
import type { Principal } from "../identity.ts";
import { limitSubject } from "../limit-calls.ts";
import type { ExplainedStep } from "./explanation.ts";

/** What is called or asked for. */
interface LimitedTarget {
  readonly app: string;
  readonly tool?: string;
}

/** The limits that count a call or request. How much of them is used up is in the store, which is not looked at. */
export function explainLimits(
  target: LimitedTarget,
  identity: Principal | undefined,
  { limits, oidcProvider }: Pick<Configuration, "limits" | "oidcProvider">,
  endpoint: CallEndpoint,
): readonly ExplainedStep[] {
  const sender = { identity, request: { remoteAddress: undefined } };
  const subject = { ...limitSubject(sender, oidcProvider?.issuer), ...target };
  return applyingLimits(limits, subject, endpoint).map(({ limit: { name, rate, quota, bytes, concurrent }, key }) => {
    const amounts = [
      rate !== undefined && `${rate.amount} in ${rate.period / 1_000} s`,
      quota !== undefined && `${quota.amount} a ${quota.calendar}`,
      bytes !== undefined && `${bytes.amount} bytes in ${bytes.period / 1_000} s`,
      concurrent !== undefined && `${concurrent} at the same time`,
    ].filter((amount) => amount !== false);
    return { step: "limit", name, decision: "allowed", why: `at most ${amounts.join(", ")}, counted by ${key}` };
  });
}
