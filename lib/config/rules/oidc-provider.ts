import { connectorNames, OWN_PROVIDER, reportUnknownName } from "./names.ts";
import { indexesOf, type Rule, type RuleContext } from "./rule.ts";

export const oidcProviderRules: Rule = (context) => {
  if (context.at("oidcProvider") === undefined) return;
  connectorRules(context);
  const idps = ["oidcProvider", "registration", "idps"];
  for (const index of indexesOf(context.at(...idps))) {
    reportUnknownName(context, [...idps, index], connectorNames(context));
  }
};

/** Where a connector is named, one name stands for the provider of this instance. */
function connectorRules({ at, report }: RuleContext): void {
  for (const index of indexesOf(at("connectors"))) {
    const path = ["connectors", index, "name"];
    if (at(...path) === OWN_PROVIDER) {
      report(path, `found "${OWN_PROVIDER}", which stands for this instance's own provider; accepted: another name`);
    }
  }
}
