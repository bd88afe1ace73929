import { reportUnknownName, tlsNames } from "./names.ts";
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
  }
};

function authenticationRules({ at, report }: RuleContext, index: number): void {
  const method = at("connectors", index, "clientAuthentication");
  const [privateKey, secret] = [at("connectors", index, "privateKey"), at("connectors", index, "oauthClientSecret")];
  if (method === "private_key_jwt" && privateKey === undefined) {
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
