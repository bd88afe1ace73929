import { type Path, placesOf, valueAt } from "../path.ts";
import { type AppPolicies, compiledOf, OPA_PLACES, type RegoTrap } from "../policy-plans.ts";
import type { Problem } from "../rules/rule.ts";

/** Policies in Rego whose modules do what mostly means something else than their writers think. */
export function regoWarnings(
  apps: readonly unknown[],
  policies: Readonly<Record<string, AppPolicies>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string") return [];
    const compiled = compiledOf(name, policies);
    return OPA_PLACES.flatMap(({ pattern, name: nameOf }) =>
      placesOf(app, pattern).flatMap((path) =>
        (compiled[nameOf(path)]?.traps ?? [])
          .filter((trap) => trap !== "authorization" || valueAt(app, [...path, "forwardToken"]) !== true)
          .map((trap) => ({ path: ["apps", index, ...path] as Path, message: WORDS[trap] })),
      ),
    );
  });
}

const WORDS: Readonly<Record<RegoTrap, string>> = {
  authorization:
    "the policy reads the Authorization header, which it sees with forwardToken: true alone; input.token.claims has the claims of every accepted token, opaque ones too",
  "scope-text":
    'contains() on a text of scopes also finds a part of another scope, as "pii:read" in "pii:readonly"; compare with the elements of split(scope, " ")',
};
