import type { Decision, Policy, PolicyInput } from "../policy/policy.ts";
import { holdsExactNumber } from "../proxy/wire/exact-json.ts";
import { recordDenial } from "./audit-call.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import { hiddenBy } from "./hidden-tools.ts";
import { unknownTool } from "./locate-tool.ts";
import { measurePolicy } from "./measure-policy.ts";
import { policyInput, withToken } from "./policy-input.ts";
import { givenArguments } from "./proxied/upstream-call.ts";
import type { LocatedTool } from "./tool-index.ts";

/**
 * Every policy of the app allows the call, or it is recorded as denied: throws `unknown_tool` where a policy hides the tool
 * (checklist 27), else `denied_by_policy`.
 */
export async function evaluatePolicies(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<void> {
  const policies = gateway.policies.get(located.app.name);
  if (policies === undefined) return;
  await refuseUnreadable(located, call, gateway);
  const denial = await firstDenial(policies, located, call, gateway);
  if (denial === undefined) return;
  const { policy, decision, hides } = denial;
  await recordDenial("policy", located, call, gateway, { policy: policy.name });
  if (hides) throw unknownTool();
  const message = decision.outcome === "denied" ? decision.message : undefined;
  throw new GatewayError("denied_by_policy", message ?? "A policy does not allow this call.");
}

/** A policy reads doubles, and an MCP server gets the number as it was written: of one that no double holds they would see two. */
async function refuseUnreadable(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<void> {
  if (located.kind !== "proxy" || !holdsExactNumber(givenArguments(call))) return;
  await recordDenial("unreadable_number", located, call, gateway);
  throw new GatewayError(
    "denied_by_policy",
    "An argument is a number with more digits than policies can read; send it with at most 15 digits, or as a text.",
  );
}

interface Verdict {
  readonly policy: Policy;
  readonly decision: Decision;
  readonly hides: boolean;
}

/** Expressions first, since they cost nothing; then all servers at once. Of several denials the first in order counts. */
async function firstDenial(
  policies: readonly Policy[],
  located: LocatedTool,
  call: ToolCall,
  gateway: Gateway,
): Promise<Verdict | undefined> {
  const params = { name: located.tool.localName, arguments: call.arguments ?? {} };
  const input = policyInput(located.app.name, { params }, call, gateway);
  for (const engine of ["cel", "opa"] as const) {
    const asked = policies.filter((policy) => policy.engine === engine);
    const verdicts = await Promise.all(asked.map((policy) => judge(policy, input, located, call, gateway)));
    const denial = verdicts.find(({ decision, hides }) => hides || decision.outcome !== "allowed");
    if (denial !== undefined) return denial;
  }
  return undefined;
}

/** An expression says the same of a list as of a call; a server has to be asked about both. */
async function judge(
  policy: Policy,
  input: PolicyInput,
  located: LocatedTool,
  call: ToolCall,
  gateway: Gateway,
): Promise<Verdict> {
  const app = located.app.name;
  const seen = policy.engine === "opa" && policy.seesToken ? withToken(input, call) : input;
  const decided = measurePolicy(
    { policy, app, request: call.request },
    () => policy.decide(seen),
    (decision) => decision,
  );
  if (!policy.decidesOnListing) return { policy, decision: await decided, hides: false };
  if (policy.engine === "cel") {
    const decision = await decided;
    return { policy, decision, hides: decision.outcome !== "allowed" };
  }
  const [decision, hidden] = await Promise.all([decided, hiddenBy(policy, app, [located], call, gateway)]);
  return { policy, decision, hides: hidden.length > 0 };
}
