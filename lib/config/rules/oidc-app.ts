import { isServedGrantType, OPENID_SCOPES, TOKEN_EXCHANGE } from "../app-configuration.ts";
import { reasonsWithoutTokens } from "../not-served.ts";
import type { Path } from "../path.ts";
import { connectorNames, issuerNames, reportUnknownName } from "./names.ts";
import { indexesOf, lengthOf, type RuleContext } from "./rule.ts";

/** The rules of an `oidc` app: it authenticates, or it is public, and people sign in at what there is. */
export function oidcAppRules(context: RuleContext, app: Path): void {
  clientIDRules(context, [...app, "clientID"]);
  credentialRules(context, app);
  keyRules(context, [...app, "credentials", "jwks"]);
  redirectRules(context, [...app, "redirectURLs"]);
  nameRules(context, app);
  appDefaultScopeRule(context, app);
  claimsMappingRules(context, [...app, "claimsMapping"], [...app, "authentication", "idps"]);
}

/** Ids of people, of API clients and of clients with a metadata document are told from those of apps by how they look. */
function clientIDRules({ at, report, shown }: RuleContext, path: Path): void {
  const id = at(...path);
  if (typeof id !== "string" || !/^(?:user_|client_|https:)/i.test(id)) return;
  const accepted = "an id that begins neither with user_ nor with client_ and is no https URL";
  report(path, `found ${shown(...path)}; accepted: ${accepted}`);
}

function credentialRules({ at, report }: RuleContext, app: Path): void {
  const path = [...app, "credentials"];
  const isPublic = at(...app, "public");
  if (isPublic === null) return;
  const credentials = at(...path);
  if (isPublic === true) {
    if (credentials !== undefined) report(path, "stands beside public: true; accepted: one of the two");
    confidentialGrantRule({ at, report }, app);
    return;
  }
  const [secrets, jwks] = [at(...path, "secrets"), at(...path, "jwks")];
  if (credentials === undefined) {
    report(path, "required unless the client is public; accepted: a mapping with secrets or jwks");
  } else if (secrets === undefined && jwks === undefined) {
    report(path, "found neither secrets nor jwks; accepted: one of the two");
  } else if (secrets !== undefined && jwks !== undefined) {
    report(path, "found secrets and jwks; accepted: one of the two, as a client authenticates by one method");
  }
}

/** Whoever exchanges tokens acts for others, or else for itself, and nobody could tell who a public client is. */
function confidentialGrantRule({ at, report }: Pick<RuleContext, "at" | "report">, app: Path): void {
  for (const index of indexesOf(at(...app, "grantTypes"))) {
    const grant = at(...app, "grantTypes", index);
    if (grant !== TOKEN_EXCHANGE && grant !== "client_credentials") continue;
    report([...app, "grantTypes", index], "stands beside public: true; accepted: with a client that authenticates");
  }
}

/** A private half would be a secret of the client in the hands of its server. */
function keyRules({ at, report }: RuleContext, path: Path): void {
  const keys = Array.isArray(at(...path)) ? path : [...path, "keys"];
  if (Array.isArray(at(...keys)) && lengthOf(at(...keys)) === 0) {
    report(path, "found an empty list; accepted: at least one public key");
  }
  for (const index of indexesOf(at(...keys))) {
    const isPrivate = ["d", "k"].some((member) => at(...keys, index, member) !== undefined);
    if (isPrivate) report([...keys, index], "found a private or symmetric key; accepted: a public key as JWK");
  }
}

/** They are compared character by character, so that a pattern would be none. */
function redirectRules({ at, report }: RuleContext, path: Path): void {
  for (const index of indexesOf(at(...path))) {
    const redirect = at(...path, index);
    if (typeof redirect === "string" && redirect.includes("*")) {
      report([...path, index], "found a URL with *; accepted: the URL itself, as patterns are not known");
    }
  }
}

function nameRules(context: RuleContext, app: Path): void {
  const idps = [...app, "authentication", "idps"];
  for (const index of indexesOf(context.at(...idps)))
    reportUnknownName(context, [...idps, index], issuerNames(context));
  const subjects = [...app, "tokenExchange", "subjectConnectors"];
  for (const index of indexesOf(context.at(...subjects))) {
    reportUnknownName(context, [...subjects, index], connectorNames(context));
  }
}

/** A default that the client cannot have would never be granted. */
function appDefaultScopeRule(context: RuleContext, app: Path): void {
  const custom = [...app, "customScopes", "scopes"];
  const names = indexesOf(context.at(...custom)).map((index) => context.at(...custom, index, "name"));
  defaultScopeRule(context, app, names, OPENID_SCOPES);
}

/**
 * The rule of `defaultScopes` beside the `scopes` of one client, or of all that come by themselves.
 *
 * @param further scopes that the clients may request besides
 * @param unwritten what `scopes` is by default; undefined: that depends on the instance
 */
export function defaultScopeRule(
  { at, report, shown }: RuleContext,
  clients: Path,
  further: readonly unknown[] = [],
  unwritten?: readonly string[],
): void {
  const scopes = at(...clients, "scopes") ?? unwritten;
  if (!Array.isArray(scopes) || [...scopes, ...further].includes(null)) return;
  for (const index of indexesOf(at(...clients, "defaultScopes"))) {
    const path = [...clients, "defaultScopes", index];
    const scope = at(...path);
    if (typeof scope !== "string" || [...scopes, ...further].includes(scope)) continue;
    report(path, `found ${shown(...path)}; accepted: a scope that the client may request`);
  }
}

const ALLOW_ALL = ["authorization", "allowAll"] as const;

/**
 * What the token endpoint serves an app of the plain document, as assembly decides it: undefined while a placeholder may
 * still change that.
 */
export function grantTypesOf(at: RuleContext["at"], app: Path): readonly string[] | undefined {
  if (at(...app, ...ALLOW_ALL) === null) return undefined;
  return grantTypesIfServed(at, app);
}

/** The same as if the placeholders of its `authorization` let everybody in. */
export function grantTypesIfServed(at: RuleContext["at"], app: Path): readonly string[] | undefined {
  if (reasonsWithoutTokens(at(...app)).length > 0) return [];
  const written = at(...app, "grantTypes");
  if (written === undefined) {
    return lengthOf(at(...app, "redirectURLs")) > 0 ? ["authorization_code", "refresh_token"] : [];
  }
  if (!Array.isArray(written) || written.includes(null)) return undefined;
  return written.filter(isServedGrantType);
}

/** Claims that say what a token is, whom it is about and who may use it: what a connector tells must not decide that. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "scope", "client_id", "act", "may_act", "chain", "shard"],
  ...["auth_time", "acr", "amr", "sid", "nonce", "azp", "at_hash"],
]);

/**
 * The rules of a `claimsMapping`: claims of its own, each from a connector that there is.
 *
 * @param idps where the connectors stand that people sign in at for these clients
 */
export function claimsMappingRules(context: RuleContext, mapping: Path, idps: Path): void {
  const { at, report } = context;
  const claims = at(...mapping);
  if (typeof claims !== "object" || claims === null) return;
  const { names } = connectorNames(context);
  for (const claim of Object.keys(claims)) {
    const path = [...mapping, claim];
    if (claim === "sub") subjectRule(context, path, idps);
    else if (RESERVED.has(claim)) report(path, "found a claim that every token has its own of; accepted: any other");
    else valueRule(context, path, names);
  }
}

/** Comparable products have a mapping of `sub` in their examples. It has no effect here, so it must not mean anything else. */
function subjectRule({ at, report }: RuleContext, path: Path, idps: Path): void {
  const [value, connector] = [at(...path), at(...idps, 0)];
  if (value === null || connector === null) return;
  if (lengthOf(at(...idps)) === 1 && value === `${String(connector)}.sub`) return;
  report(path, `found a source of sub, which is this instance's own id of a person; ${SUBJECT_ACCEPTED}`);
}

const SUBJECT_ACCEPTED =
  "accepted: another claim, for example idp_sub, or the sub of the only connector of idps (without effect)";

/** Names of connectors can hold dots, and so can claims: some connector's name and a dot stand in front. */
function valueRule({ at, report, shown }: RuleContext, path: Path, names: readonly string[] | undefined): void {
  const value = at(...path);
  if (typeof value !== "string" || names === undefined) return;
  if (names.some((name) => value.startsWith(`${name}.`) && value.length > name.length + 1)) return;
  report(path, `found ${shown(...path)}; accepted: the name of a connector, a dot and a claim, for example corp.email`);
}
