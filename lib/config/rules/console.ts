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
    const path = ["console", "connectors", index] as const;
    reportUnknownName(context, path, names);
    if (context.at(...path) !== CALLBACK) continue;
    context.report(
      path,
      `found ${CALLBACK}, which is a path of the sign-in itself; accepted: a connector of another name`,
    );
  }
}

/** `/api/v1/sign-in/oidc/callback`, beside `/api/v1/sign-in/oidc/<name>`. */
const CALLBACK = "callback";
