import type { Path } from "../path.ts";
import { placesOf } from "../warnings/places.ts";
import { authorizationRules } from "./app-authorization.ts";
import { upstreamRules } from "./app-upstream.ts";
import { issuerNames, type KnownNames, reportUnknownName, tlsNames } from "./names.ts";
import { namespaceRules } from "./namespaces.ts";
import { oidcAppRules } from "./oidc-app.ts";
import { exchangingClients, ownClientRules } from "./own-client.ts";
import { indexesOf, type Rule, type RuleContext, reportDuplicates } from "./rule.ts";

/** Rules across `apps[]`, and keys that must be known before the document is compiled. */
export const appRules: Rule = (context) => {
  const { at } = context;
  const paths = indexesOf(at("apps")).map((index) => ["apps", index] as const);
  reportDuplicates(
    context,
    paths.map((path) => [...path, "name"]),
    "an app name",
  );
  reportDuplicates(
    context,
    paths.map((path) => [...path, "clientID"]),
    "a client ID",
  );
  namespaceRules(context, paths);
  const issuers = issuerNames(context);
  const tls = tlsNames(context);
  const clients = exchangingClients(context);
  for (const path of paths) {
    const type = at(...path, "type");
    compileTimeKeys(context, path);
    if (type === "mcpBridge" || type === "mcpProxy") {
      authorizationRules(context, path, issuers);
      upstreamRules(context, path, tls);
      ownClientRules(context, path, clients);
    }
    if (type === "oidc") oidcAppRules(context, path);
    if (type === "proxy") policyRules(context, path, issuers);
  }
};

const PLACEHOLDER = "found a placeholder; accepted: a value that is known at build time";

/** What decides on the catalog, which is made at build time. */
const CURATION: readonly Path[] = [
  ["openapi", "include", "*"],
  ["openapi", "exclude", "*"],
  ["openapi", "overrides", "*", "*"],
  ["openapi", "overrides", "*", "annotations", "*"],
];

function compileTimeKeys({ at, report }: RuleContext, app: Path): void {
  const keys = [
    ["type"],
    ["name"],
    ["toolNamespace", "name"],
    ["toolNamespace", "disabled"],
    ["openapi", "spec", "uri"],
  ];
  for (const key of keys) {
    const path = [...app, ...key];
    if (at(...path) === null) report(path, PLACEHOLDER);
  }
  for (const pattern of CURATION) {
    for (const place of placesOf(at(...app), pattern)) {
      if (at(...app, ...place) === null) report([...app, ...place], PLACEHOLDER);
    }
  }
}

function policyRules(context: RuleContext, app: Path, issuers: KnownNames): void {
  for (const index of indexesOf(context.at(...app, "policies"))) {
    const idps = [...app, "policies", index, "authentication", "idps"];
    for (const one of indexesOf(context.at(...idps))) reportUnknownName(context, [...idps, one], issuers);
  }
}
