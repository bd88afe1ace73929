import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import type { Decision, Policy, PolicyInput } from "../../../policy/policy.ts";
import type { Gateway } from "../../gateway.ts";
import { GatewayError } from "../../gateway-error.ts";
import { measurePolicy } from "../../measure-policy.ts";
import { useInput, withToken } from "../../policy-input.ts";
import type { UpstreamUse, UseCaller } from "./use.ts";

/** A policy that said no. */
export interface Denial {
  readonly policy: string;
  readonly error: GatewayError;
}

/**
 * What the policies of the app say: each has to allow it. One that reads the tool of a call finds none here, fails, and so
 * denies.
 */
export async function decideUse(use: UpstreamUse, caller: UseCaller, gateway: Gateway): Promise<Denial | undefined> {
  const policies = gateway.policies.get(use.app.name) ?? [];
  const input = useInput({ method: use.method, app: use.app.name, ...subjectOf(use) }, caller, gateway);
  for (const policy of policies) {
    const decision = await decide(policy, input, use, caller);
    if (decision.outcome === "allowed") continue;
    const message = decision.outcome === "denied" ? decision.message : undefined;
    const error = new GatewayError("denied_by_policy", message ?? "A policy does not allow this.");
    return { policy: policy.name, error };
  }
  return undefined;
}

/** Those of the apps whose policies allow a list. */
export async function allowing(
  method: string,
  apps: readonly McpProxyAppConfiguration[],
  caller: UseCaller,
  gateway: Gateway,
): Promise<readonly McpProxyAppConfiguration[]> {
  const denials = await Promise.all(
    apps.map((app) => decideUse({ app, method, params: {}, subject: { kind: "other" } }, caller, gateway)),
  );
  return apps.filter((_, index) => denials[index] === undefined);
}

function decide(policy: Policy, input: PolicyInput, { app }: UpstreamUse, caller: UseCaller): Promise<Decision> {
  const seen = policy.engine === "opa" && policy.seesToken ? withToken(input, caller) : input;
  const use = { policy, app: app.name, request: caller.request };
  return measurePolicy(
    use,
    () => policy.decide(seen),
    (decision) => decision,
  );
}

function subjectOf({ subject }: UpstreamUse): Pick<PolicyInput["request"]["mcp"], "resource" | "prompt"> {
  if (subject.kind === "resource") return { resource: { uri: subject.uri } };
  if (subject.kind === "other") return {};
  return { prompt: { params: { name: subject.name, arguments: subject.arguments ?? {} } } };
}
