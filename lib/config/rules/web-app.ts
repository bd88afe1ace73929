import { canonicalPath, isBelow } from "../../protocol/http/request-target.ts";
import { parseLocation } from "../../reverse-proxy/locations.ts";
import { parseRoutePattern, type RoutePattern } from "../../reverse-proxy/routes.ts";
import { type Path, pathText } from "../path.ts";
import { webPolicyRules } from "../policy-engines.ts";
import { webOutboundRules } from "./app-authorization.ts";
import { type KnownNames, reportUnknownName } from "./names.ts";
import { indexesOf, lengthOf, type RuleContext } from "./rule.ts";
import { reportUnknownClaims, webHeaderRules } from "./web-headers.ts";

/** What web apps may name: where people sign in, whose claims there are, and entries of `tls`. */
export interface WebAppNames {
  readonly issuers: KnownNames;
  readonly connectors: KnownNames;
  /** At which people connect accounts. */
  readonly providers: KnownNames;
  readonly tls: KnownNames;
}

/** The rules of one web app. */
export function webAppRules(context: RuleContext, app: Path, names: WebAppNames): void {
  reportUnknownName(context, [...app, "tls"], names.tls);
  for (const index of indexesOf(context.at(...app, "policies"))) {
    policyRules(context, [...app, "policies", index], names);
  }
  locationsOnce(context, app);
  webHeaderRules(context, app, names.connectors);
  pathRules(context, app);
  assertionRules(context, app);
  webOutboundRules(context, app, names.providers);
}

function policyRules(context: RuleContext, policy: Path, names: WebAppNames): void {
  authenticationRules(context, policy, names.issuers);
  openPatternRule(context, policy);
  authorizationRules(context, [...policy, "authorization"], names.connectors);
}

function authenticationRules(context: RuleContext, policy: Path, issuers: KnownNames): void {
  const { at, report } = context;
  const path = [...policy, "authentication"];
  const idps = [...path, "idps"];
  for (const index of indexesOf(at(...idps))) reportUnknownName(context, [...idps, index], issuers);
  const [open, bearer] = [at(...path, "allowUnauthenticated"), at(...path, "bearer")];
  const isIn = lengthOf(at(...idps)) > 0 || at(...idps) === null || bearer !== undefined;
  if (open === true && isIn) {
    const other = lengthOf(at(...idps)) > 0 ? "idps" : "bearer";
    report(
      [...path, "allowUnauthenticated"],
      `stands beside ${other}, and lets everybody in; accepted: one of the two`,
    );
  }
  if ((open === undefined || open === false) && !isIn) {
    report(path, "lets nobody in; accepted: one of idps, bearer and allowUnauthenticated: true");
  }
  if (bearer !== undefined && at("oidcProvider") === undefined && !hasServers(at)) {
    report(
      [...path, "bearer"],
      "needs a server whose tokens count; accepted: mcpProvider.authorization.oauth.servers or oidcProvider beside it",
    );
  }
}

function hasServers(at: RuleContext["at"]): boolean {
  const servers = at("mcpProvider", "authorization", "oauth", "servers");
  return servers === null || lengthOf(servers) > 0;
}

/** What follows a match is open as well where the expression has no end: `\.css` also fits `/reports.css/salaries`. */
function openPatternRule({ at, report }: RuleContext, policy: Path): void {
  const written = at(...policy, "location");
  if (at(...policy, "authentication", "allowUnauthenticated") !== true || typeof written !== "string") return;
  const location = parseLocation(written);
  if ("problem" in location || location.kind !== "pattern" || endsEverywhere(location.source)) return;
  report(
    [...policy, "location"],
    "lets everybody in, and the regular expression has an alternative without $ at its end, which also fits longer paths; accepted: one with $ at the end of each",
  );
}

/** Whether each alternative of an expression ends with a `$` that is no character of its own. */
function endsEverywhere(source: string): boolean {
  return alternativesOf(source).every((one) => /(?<!\\)(?:\\\\)*\$$/.test(one));
}

/** What is between the `|` that stand in no group and no class. */
function alternativesOf(source: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const [piece] of source.matchAll(/\\.|\[\^?(?:\\.|[^\]\\])+\]|./gsu)) {
    if (piece === "(") depth++;
    if (piece === ")") depth--;
    if (piece === "|" && depth === 0) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

const CHECKS = ["rules", "cel", "opa", "authzen"];

function authorizationRules(context: RuleContext, path: Path, connectors: KnownNames): void {
  const { at, report } = context;
  const written = at(...path);
  if (typeof written !== "object" || written === null) return;
  const checks = CHECKS.filter((key) => isWritten(at(...path, key)));
  const allowAll = at(...path, "allowAll");
  if (allowAll === true && checks.length > 0) {
    report([...path, "allowAll"], `stands beside ${checks.join(" and ")}; accepted: allowAll alone, or checks`);
  }
  if ((allowAll === undefined || allowAll === false) && checks.length === 0) {
    report(path, "found no check; accepted: allowAll: true, or any of rules, cel, opa and authzen");
  }
  webPolicyRules(context, path);
  operandRules(context, [...path, "rules"], connectors);
}

function isWritten(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

/** What two texts that are written come to is known beforehand, and was hardly meant. */
function operandRules(context: RuleContext, rules: Path, connectors: KnownNames): void {
  const { at, report } = context;
  for (const index of indexesOf(at(...rules))) {
    const rule = at(...rules, index);
    for (const operator of Object.keys(typeof rule === "object" && rule !== null ? rule : {})) {
      const path = [...rules, index, operator];
      const operands = at(...path);
      if (!Array.isArray(operands)) continue;
      for (const place of operands.keys()) reportUnknownClaims(context, [...path, place], connectors);
      if (operands.every((operand) => typeof operand === "string" && !operand.includes("{{"))) {
        report(path, "compares two texts that never change; accepted: {{ connector.CLAIM }} as one of them");
      }
    }
  }
}

/** A policy whose paths and methods an earlier one has all would never be asked. */
function locationsOnce({ at, report }: RuleContext, app: Path): void {
  const earlier: { readonly path: Path; readonly key: string; readonly methods: unknown }[] = [];
  for (const index of indexesOf(at(...app, "policies"))) {
    const path = [...app, "policies", index];
    const written = at(...path, "location");
    const location = typeof written === "string" ? parseLocation(written) : undefined;
    if (location === undefined || "problem" in location) continue;
    const key = JSON.stringify(location);
    const methods = at(...path, "methods");
    const first = earlier.find((one) => one.key === key && covers(one.methods, methods));
    if (first === undefined) earlier.push({ path, key, methods });
    else {
      const place = pathText([...first.path, "location"]);
      report([...path, "location"], `found a location that stands above already, at ${place}; accepted: each once`);
    }
  }
}

function covers(all: unknown, some: unknown): boolean {
  if (all === undefined) return true;
  return Array.isArray(all) && Array.isArray(some) && some.every((method) => all.includes(method));
}

/** Paths that are compared with those of requests, and so have to have the form of these. */
function pathRules(context: RuleContext, app: Path): void {
  const { at, report } = context;
  const routes = routesOf(context, app);
  for (const key of ["stripPrefix", "logoutURL"]) {
    const written = at(...app, key);
    const path = typeof written === "string" && written.startsWith("/") ? canonicalPath(written) : undefined;
    if (path === undefined || routes === undefined) continue;
    if (typeof path !== "string") {
      report(
        [...app, key],
        "is a path that this version refuses in requests; accepted: a plain path that begins with /",
      );
    } else if (key === "logoutURL" && !routes.some((route) => isBelow(route.path, path))) {
      report([...app, key], "is at no route of the app; accepted: a path at or below one of routePatterns");
    } else if (key === "stripPrefix" && !routes.every((route) => isBelow(withoutSlash(path), route.path))) {
      report(
        [...app, key],
        "is not in front of every route of the app; accepted: a path that each of routePatterns begins with",
      );
    }
  }
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Undefined while one of them is not known, or is a mistake. */
function routesOf({ at }: RuleContext, app: Path): readonly RoutePattern[] | undefined {
  const routes = indexesOf(at(...app, "routePatterns")).map((index) => {
    const written = at(...app, "routePatterns", index);
    return typeof written === "string" ? parseRoutePattern(written) : undefined;
  });
  return routes.every((route) => route !== undefined) ? routes : undefined;
}

/** Claims that say what an assertion is (RFC 7519 section 4.1). */
const OF_ASSERTION = ["iss", "aud", "sub", "iat", "exp", "nbf", "jti"];

function assertionRules({ at, report }: RuleContext, app: Path): void {
  const path = [...app, "assertion"];
  if (at(...path) === undefined) return;
  if (at("oidcProvider") === undefined) {
    report(path, "needs keys that sign it and an address to fetch them from; accepted: oidcProvider beside it");
  }
  for (const index of indexesOf(at(...path, "claims"))) {
    const claim = at(...path, "claims", index);
    if (typeof claim === "string" && OF_ASSERTION.includes(claim)) {
      report([...path, "claims", index], `${claim} says what the assertion is; accepted: another claim`);
    }
  }
}

/** Reports a route that another app, or the same one, has already. */
export function routesOnce({ at, report }: RuleContext, apps: readonly Path[]): void {
  const own = ownHost(at("http", "publicURL"));
  const seen = new Map<string, Path>();
  for (const app of apps.filter((one) => at(...one, "type") === "proxy")) {
    for (const index of indexesOf(at(...app, "routePatterns"))) {
      const path = [...app, "routePatterns", index];
      const written = at(...path);
      const route = typeof written === "string" ? parseRoutePattern(written) : undefined;
      if (route === undefined) continue;
      const key = `${route.host === own ? "" : (route.host ?? "")} ${route.path}`;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, path);
      else report(path, `found a route that stands above already, at ${pathText(first)}; accepted: each once`);
    }
  }
}

function ownHost(publicURL: unknown): string | undefined {
  return typeof publicURL === "string" && URL.canParse(publicURL) ? new URL(publicURL).host : undefined;
}
