import { connectorNames, OWN_PROVIDER, reportUnknownName, tlsNames } from "./names.ts";
import { oauthConnectorRules } from "./oauth-connectors.ts";
import { claimsMappingRules, defaultScopeRule } from "./oidc-app.ts";
import { indexesOf, type Rule, type RuleContext, reportDuplicates } from "./rule.ts";

/** Rules across `connectors[]`, and what a way to authenticate needs. */
export const connectorRules: Rule = (context) => {
  const indexes = indexesOf(context.at("connectors"));
  reportDuplicates(
    context,
    indexes.map((index) => ["connectors", index, "name"]),
    "a connector name",
  );
  const names = tlsNames(context);
  for (const index of indexes) {
    reportUnknownName(context, ["connectors", index, "tls"], names);
    authenticationRules(context, index);
    if (context.at("connectors", index, "type") === "oauth") oauthConnectorRules(context, index);
  }
};

function authenticationRules({ at, report }: RuleContext, index: number): void {
  const method = at("connectors", index, "clientAuthentication");
  const [privateKey, secret] = [at("connectors", index, "privateKey"), at("connectors", index, "oauthClientSecret")];
  // The client that our metadata document describes has a key of its own.
  const needsKey = at("connectors", index, "clientMetadata") !== true;
  if (method === "private_key_jwt" && privateKey === undefined && needsKey) {
    const message = "required when clientAuthentication is private_key_jwt; accepted: a private key as PEM text or JWK";
    report(["connectors", index, "privateKey"], message);
  }
  if ((method === "client_secret_basic" || method === "client_secret_post") && secret === undefined) {
    const message = `required when clientAuthentication is ${method}; accepted: the client's secret`;
    report(["connectors", index, "oauthClientSecret"], message);
  }
  if (method === "private_key_jwt" && secret !== undefined) {
    const message = "stands beside clientAuthentication: private_key_jwt; accepted: one of the two";
    report(["connectors", index, "oauthClientSecret"], message);
  }
  if (privateKey !== undefined && method !== "private_key_jwt" && method !== null) {
    const message = "needs clientAuthentication: private_key_jwt; accepted: both, or neither";
    report(["connectors", index, "privateKey"], message);
  }
}

export const oidcProviderRules: Rule = (context) => {
  if (context.at("oidcProvider") === undefined) return;
  reservedNameRule(context);
  const idps = ["oidcProvider", "registration", "idps"];
  for (const index of indexesOf(context.at(...idps))) {
    reportUnknownName(context, [...idps, index], connectorNames(context));
  }
  defaultScopeRule(context, ["oidcProvider", "registration"]);
  claimsMappingRules(context, ["oidcProvider", "registration", "claimsMapping"], idps);
};

/** Where a connector is named, one name stands for the provider of this instance. */
function reservedNameRule({ at, report }: RuleContext): void {
  for (const index of indexesOf(at("connectors"))) {
    const path = ["connectors", index, "name"];
    if (at(...path) === OWN_PROVIDER) {
      report(path, `found "${OWN_PROVIDER}", which stands for this instance's own provider; accepted: another name`);
    }
  }
}

export const consoleRules: Rule = (context) => {
  recoveryRule(context);
  consoleConnectorRules(context);
};

/** An owner comes back with a setup token, which the instance makes by itself only while there is no owner. */
function recoveryRule({ at, report }: RuleContext): void {
  if (at("console", "recoverOwner") === undefined || at("console", "setupToken") !== undefined) return;
  report(["console", "recoverOwner"], "needs console.setupToken; accepted: both, the token with a value never used");
}

function consoleConnectorRules(context: RuleContext): void {
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
