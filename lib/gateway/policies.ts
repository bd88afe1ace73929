import type { McpAppConfiguration, PolicyConfiguration } from "../config/app-configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import { compileCel } from "../policy/cel/compile.ts";
import { createOpaPolicy } from "../policy/opa.ts";
import type { Policy } from "../policy/policy.ts";

/** The policies of each app that has some, by its name, in their order. */
export type Policies = ReadonlyMap<string, readonly Policy[]>;

export function createPolicies(apps: readonly McpAppConfiguration[], { fetch }: Pick<Dependencies, "fetch">): Policies {
  const create = (policy: PolicyConfiguration) =>
    policy.engine === "cel" ? compileCel(policy.expression, policy.name) : createOpaPolicy(policy, fetch);
  return new Map(
    apps.flatMap(({ name, policies = [] }) => (policies.length > 0 ? [[name, policies.map(create)]] : [])),
  );
}
