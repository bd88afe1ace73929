import type { PolicyConfiguration } from "../app-configuration.ts";
import type { McpAppDocument } from "./app-documents.ts";

type Inbound = McpAppDocument["authorization"]["inbound"];
type Rule = Pick<Inbound, "cel" | "opa">;

/** In the order of the keys: `cel`, `opa`, then the rules. */
export function assemblePolicies(inbound: Inbound): readonly PolicyConfiguration[] {
  return [...policiesOf(inbound, ""), ...inbound.rules.flatMap((rule, index) => policiesOf(rule, `rules[${index}].`))];
}

function policiesOf({ cel, opa }: Rule, place: string): readonly PolicyConfiguration[] {
  const policies: PolicyConfiguration[] = [];
  if (cel !== undefined) policies.push({ engine: "cel", name: `${place}cel`, expression: cel });
  if (opa?.url !== undefined) {
    const { name = `${place}opa`, url, timeout, forwardToken, list } = opa;
    policies.push({ engine: "opa", name, url, timeout, forwardToken, list });
  }
  return policies;
}
