import { ALLOWED, type CelPolicy, DENIED, type Decision, type OpaPolicy, type Policy } from "../policy/policy.ts";
import type { Gateway } from "./gateway.ts";
import { measurePolicy } from "./measure-policy.ts";
import { listInput, type PolicyCaller, policyInput, withToken } from "./policy-input.ts";
import type { LocatedTool } from "./tool-index.ts";

/**
 * Those of the tools that a policy hides from the caller (checklist 27): one that does not look at arguments denies now
 * what it would deny then.
 */
export async function hiddenTools(
  tools: readonly LocatedTool[],
  caller: PolicyCaller,
  gateway: Pick<Gateway, "policies" | "mcpProvider">,
): Promise<ReadonlySet<LocatedTool>> {
  const apps = new Set(tools.map(({ app }) => app));
  const hidden = [...apps].flatMap((app) => {
    const policies = (gateway.policies.get(app.name) ?? []).filter(({ decidesOnListing }) => decidesOnListing);
    if (policies.length === 0) return [];
    const own = tools.filter((tool) => tool.app === app);
    return policies.map((policy) => hiddenBy(policy, app.name, own, caller, gateway));
  });
  return new Set((await Promise.all(hidden)).flat());
}

/** What one policy says of the tools of an app, and what that comes to. */
interface Verdict {
  readonly hidden: readonly LocatedTool[];
  readonly decision: Decision;
}

/** Those of an app's tools that one policy hides. */
export async function hiddenBy(
  policy: Policy,
  app: string,
  tools: readonly LocatedTool[],
  caller: PolicyCaller,
  gateway: Pick<Gateway, "mcpProvider">,
): Promise<readonly LocatedTool[]> {
  const use = { policy, app, request: caller.request };
  const ask = () =>
    policy.engine === "cel"
      ? decideEach(policy, app, tools, caller, gateway)
      : askOnce(policy, app, tools, caller, gateway);
  return (await measurePolicy(use, ask, ({ decision }) => decision)).hidden;
}

function decideEach(
  policy: CelPolicy,
  app: string,
  tools: readonly LocatedTool[],
  caller: PolicyCaller,
  gateway: Pick<Gateway, "mcpProvider">,
): Verdict {
  const input = policyInput(app, { params: { name: "" } }, caller, gateway);
  const { http, mcp } = input.request;
  const decisions = tools.map(({ tool }) => {
    const asked = { ...mcp, tool: { params: { name: tool.localName } } };
    return policy.decide({ ...input, request: { http, mcp: asked } });
  });
  const hidden = tools.filter((_, index) => decisions[index]?.outcome !== "allowed");
  const failure = decisions.find(({ outcome }) => outcome === "failed");
  return { hidden, decision: failure ?? (hidden.length > 0 ? DENIED : ALLOWED) };
}

async function askOnce(
  policy: OpaPolicy,
  app: string,
  tools: readonly LocatedTool[],
  caller: PolicyCaller,
  gateway: Pick<Gateway, "mcpProvider">,
): Promise<Verdict> {
  const asked = tools.map(({ tool }) => ({ params: { name: tool.localName } }));
  const input = listInput(app, asked, caller, gateway);
  const answer = await policy.list(policy.seesToken ? withToken(input, caller) : input);
  if ("outcome" in answer) return { hidden: answer.outcome === "allowed" ? [] : tools, decision: answer };
  const hidden = tools.filter(({ tool }) => !answer.has(tool.localName));
  return { hidden, decision: hidden.length > 0 ? DENIED : ALLOWED };
}
