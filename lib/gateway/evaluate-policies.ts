import type { Decision, Policy, PolicyInput } from "../policy/policy.ts";
import { recordDenial } from "./audit-call.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import { unknownTool } from "./locate-tool.ts";
import { measurePolicy } from "./measure-policy.ts";
import { policyInput, withToken } from "./policy-input.ts";
import type { LocatedTool } from "./tool-index.ts";

/**
 * Every policy of the app allows the call, or it is recorded as denied: throws `denied_by_policy`, and `unknown_tool` where
 * the policy hides the tool as well (checklist 27) and has nothing to say to the agent.
 */
export async function evaluatePolicies(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<void> {
  const policies = gateway.policies.get(located.app.name);
  if (policies === undefined) return;
  const denial = await firstDenial(policies, located, call, gateway);
  if (denial === undefined) return;
  const { policy, message } = denial;
  await recordDenial("policy", located, call, gateway, { policy: policy.name });
  if (policy.decidesOnListing && message === undefined) throw unknownTool();
  throw new GatewayError("denied_by_policy", message ?? "A policy does not allow this call.");
}

interface Denial {
  readonly policy: Policy;
  readonly message: string | undefined;
}

/** Expressions first, since they cost nothing; then all servers at once. Of several denials the first in order counts. */
async function firstDenial(
  policies: readonly Policy[],
  located: LocatedTool,
  call: ToolCall,
  gateway: Gateway,
): Promise<Denial | undefined> {
  const params = { name: located.tool.localName, arguments: call.arguments ?? {} };
  const input = policyInput(located.app.name, { params }, call, gateway);
  for (const engine of ["cel", "opa"] as const) {
    const asked = policies.filter((policy) => policy.engine === engine);
    const decisions = await Promise.all(asked.map((policy) => decide(policy, input, located, call)));
    const index = decisions.findIndex(({ outcome }) => outcome !== "allowed");
    const [policy, decision] = [asked[index], decisions[index]];
    if (policy === undefined || decision === undefined) continue;
    return { policy, message: decision.outcome === "denied" ? decision.message : undefined };
  }
  return undefined;
}

function decide(policy: Policy, input: PolicyInput, { app }: LocatedTool, call: ToolCall): Promise<Decision> {
  const seen = policy.engine === "opa" && policy.seesToken ? withToken(input, call) : input;
  return measurePolicy(
    { policy, app: app.name, request: call.request },
    () => policy.decide(seen),
    (decision) => decision,
  );
}
