import { connectorNames, reportUnknownName } from "./names.ts";
import { indexesOf, type Rule, type RuleContext } from "./rule.ts";

export const consoleRules: Rule = (context) => {
  recoveryRule(context);
  connectorRules(context);
};

/** An owner comes back with a setup token, which the instance makes by itself only while there is no owner. */
function recoveryRule({ at, report }: RuleContext): void {
  if (at("console", "recoverOwner") === undefined || at("console", "setupToken") !== undefined) return;
  report(["console", "recoverOwner"], "needs console.setupToken; accepted: both, the token with a value never used");
}

function connectorRules(context: RuleContext): void {
  const names = connectorNames(context);
  for (const index of indexesOf(context.at("console", "connectors"))) {
    reportUnknownName(context, ["console", "connectors", index], names);
  }
}
