import { OWN_PROVIDER } from "./names.ts";
import { indexesOf, type Rule } from "./rule.ts";

/** Where a connector is named, one name stands for the provider of this instance. */
export const oidcProviderRules: Rule = ({ at, report }) => {
  if (at("oidcProvider") === undefined) return;
  for (const index of indexesOf(at("connectors"))) {
    const path = ["connectors", index, "name"];
    if (at(...path) === OWN_PROVIDER) {
      report(path, `found "${OWN_PROVIDER}", which stands for this instance's own provider; accepted: another name`);
    }
  }
};
