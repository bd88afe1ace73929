import { type Path, pathText, placesOf } from "../path.ts";
import { authorizationRules } from "./app-authorization.ts";
import { upstreamRules } from "./app-upstream.ts";
import { connectorNames, issuerNames, oauthConnectorNames, tlsNames } from "./names.ts";
import { oidcAppRules } from "./oidc-app.ts";
import { exchangingClients, ownClientRules } from "./own-client.ts";
import { indexesOf, type Rule, type RuleContext, reportDuplicates } from "./rule.ts";
import { toolRulesOf } from "./tool-rules.ts";
import { routesOnce, webAppRules } from "./web-app.ts";

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
  const connectors = connectorNames(context);
  const providers = oauthConnectorNames(context);
  const tls = tlsNames(context);
  const clients = exchangingClients(context);
  for (const path of paths) {
    const type = at(...path, "type");
    compileTimeKeys(context, path);
    if (type === "mcpBridge" || type === "mcpProxy") {
      authorizationRules(context, path, { issuers, providers });
      upstreamRules(context, path, tls);
      ownClientRules(context, path, clients);
      toolRulesOf(context, path);
    }
    if (type === "oidc") oidcAppRules(context, path);
    if (type === "proxy") webAppRules(context, path, { issuers, connectors, providers, tls });
  }
  routesOnce(context, paths);
};

const PLACEHOLDER = "found a placeholder; accepted: a value that is known at build time";

/** What decides on the catalog, which is made at build time. */
const CURATION: readonly Path[] = [
  ["openapi", "include", "*"],
  ["openapi", "exclude", "*"],
  ["openapi", "overrides", "*", "*"],
  ["openapi", "overrides", "*", "annotations", "*"],
  ["tools", "rules", "*", "tools", "*"],
  ["tools", "rules", "*", "arguments", "*", "name"],
  ["tools", "rules", "*", "arguments", "*", "match"],
  ["tools", "rules", "*", "result", "remove", "*"],
  ["tools", "rules", "*", "result", "mask", "*", "match"],
  ["tools", "rules", "*", "result", "mask", "*", "with"],
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

/**
 * No two apps of an organization put the same text in front of names: the name that agents see says whose a tool is (D128,
 * D141). Organizations are compared as they are written. A disabled namespace is none, and many apps may have it disabled.
 */
function namespaceRules(context: RuleContext, apps: readonly Path[]): void {
  const seen = new Map<string, Path>();
  for (const app of apps) {
    const namespace = namespaceOf(context, app);
    const organization = context.at(...app, "organization");
    if (namespace === undefined || organization === null) continue;
    const key = JSON.stringify([organization ?? null, namespace]);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, app);
    else reportSecond(context, app, first);
  }
}

function reportSecond({ at, report, shown }: RuleContext, app: Path, first: Path): void {
  // Of two apps with one name that is the mistake.
  if (at(...app, "name") === at(...first, "name")) return;
  const path = [...app, "toolNamespace", "name"];
  const [found, whose] =
    at(...path) === undefined
      ? ["required:", `the default is the namespace of ${pathText(first)}`]
      : [`found ${shown(...path)},`, `which is the namespace of ${pathText(first)}`];
  report(path, `${found} ${whose} already; accepted: text that is in front of no other app's tools`);
}

/** Undefined where the app has none, where it is not known, and where its names are left to others. */
function namespaceOf({ at }: RuleContext, app: Path): string | undefined {
  const isMcp = ["mcpBridge", "mcpProxy"].some((type) => type === at(...app, "type"));
  const isDisabled = at(...app, "toolNamespace", "disabled");
  if (!isMcp || isDisabled === true || isDisabled === null) return undefined;
  const [written, name] = [at(...app, "toolNamespace", "name"), at(...app, "name")];
  if (written !== undefined) return typeof written === "string" ? written : undefined;
  return typeof name === "string" ? `${name}_` : undefined;
}
