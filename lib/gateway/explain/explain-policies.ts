import type { Logger } from "../../logging/logger.ts";
import type { Decision } from "../../policy/policy.ts";
import type { Gateway } from "../gateway.ts";
import { hiddenBy } from "../hidden-tools.ts";
import type { Identity } from "../identity.ts";
import { type PolicyCaller, policyInput } from "../policy-input.ts";
import type { LocatedTool } from "../tool-index.ts";
import { allowed, denied, type ExplainedStep } from "./explanation.ts";

/** Every policy of the tool's app, asked about the call and, where it decides on lists, about the list. */
export async function explainPolicies(
  located: LocatedTool,
  given: unknown,
  identity: Identity | undefined,
  gateway: Pick<Gateway, "policies" | "mcpProvider" | "publicURL">,
): Promise<readonly ExplainedStep[]> {
  const policies = gateway.policies.get(located.app.name) ?? [];
  if (policies.length === 0) return [allowed("policy", "the app has none")];
  const caller = explainedCaller(identity, gateway);
  const params = { name: located.tool.localName, arguments: given };
  const input = policyInput(located.app.name, { params }, caller, gateway);
  const steps: ExplainedStep[] = [];
  for (const policy of policies) {
    steps.push({ ...stepOf(await policy.decide(input)), name: policy.name });
  }
  for (const policy of policies.filter(({ decidesOnListing }) => decidesOnListing)) {
    const hidden = await hiddenBy(policy, located.app.name, [located], caller, gateway);
    const step = hidden.length > 0 ? denied("lists", "hides the tool: a call is answered as that of no tool") : SHOWN;
    steps.push({ ...step, name: policy.name });
  }
  return steps;
}

const SHOWN = allowed("lists", "shows the tool");

function stepOf(decision: Decision): ExplainedStep {
  if (decision.outcome === "allowed") return allowed("policy", "allows the call");
  if (decision.outcome === "failed") return denied("policy", `could not decide: ${decision.failure}`);
  return denied("policy", decision.message === undefined ? "denies the call" : `denies the call: ${decision.message}`);
}

/** A request of nobody in particular: without headers, and from nowhere. */
function explainedCaller(
  identity: Identity | undefined,
  { mcpProvider, publicURL }: Pick<Gateway, "mcpProvider" | "publicURL">,
): PolicyCaller {
  const path = mcpProvider.stream?.path ?? mcpProvider.sse?.messagePath ?? "/";
  return {
    identity,
    http: { method: "POST", url: publicURL + path, headers: new Headers() },
    request: {
      requestId: "",
      remoteAddress: undefined,
      logger: SILENT,
      authenticated: () => undefined,
      waitUntil: () => undefined,
    },
  };
}

/** What would be told to the log is what is explained. */
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};
