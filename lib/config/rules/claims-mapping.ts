import type { Path } from "../path.ts";
import { connectorNames } from "./names.ts";
import type { RuleContext } from "./rule.ts";

/** Claims that say what a token is, whom it is about and who may use it: what a connector tells must not decide that. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "scope", "client_id", "act", "may_act", "chain"],
  ...["auth_time", "acr", "amr", "sid", "nonce", "azp", "at_hash"],
]);

/** The rules of an app's `claimsMapping`: claims of its own, each from a connector that there is. */
export function claimsMappingRules(context: RuleContext, mapping: Path): void {
  const { at, report } = context;
  const claims = at(...mapping);
  if (typeof claims !== "object" || claims === null) return;
  const { names } = connectorNames(context);
  for (const claim of Object.keys(claims)) {
    const path = [...mapping, claim];
    if (RESERVED.has(claim)) report(path, "found a claim that every token has its own of; accepted: any other");
    else valueRule(context, path, names);
  }
}

/** Names of connectors can hold dots, and so can claims: some connector's name and a dot stand in front. */
function valueRule({ at, report, shown }: RuleContext, path: Path, names: readonly string[] | undefined): void {
  const value = at(...path);
  if (typeof value !== "string" || names === undefined) return;
  if (names.some((name) => value.startsWith(`${name}.`) && value.length > name.length + 1)) return;
  report(path, `found ${shown(...path)}; accepted: the name of a connector, a dot and a claim, for example corp.email`);
}
