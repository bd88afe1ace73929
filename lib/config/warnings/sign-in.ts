import type { Runtime } from "../configuration.ts";
import { type KnownSignIn, knownSignIn } from "../oauth-features.ts";
import { type Path, placesOf, valueAt } from "../path.ts";
import { grantTypesOf } from "../rules/oidc-app.ts";
import { indexesOf, type Problem } from "../rules/rule.ts";

const REGISTRATION = ["oidcProvider", "registration"] as const;
const OAUTH = ["mcpProvider", "authorization", "oauth", "enabled"] as const;
const NOBODY = "nobody can sign in for it";

/** Where the document of a provider asks for people who sign in, and they cannot, or do not come back. */
export function signInWarnings(document: unknown, publicURL: string | undefined, runtime: Runtime): readonly Problem[] {
  if (valueAt(document, ["oidcProvider"]) === undefined) return [];
  const known = knownSignIn(document, publicURL);
  return [
    ...indexesOf(valueAt(document, ["apps"])).flatMap((index) => appWarnings(document, ["apps", index], known)),
    ...registrationWarnings(document, known, runtime),
    ...memberWarnings(document, known, runtime),
    ...redirectWarnings(document, publicURL),
  ];
}

function appWarnings(document: unknown, path: Path, { names, isOpen }: KnownSignIn): readonly Problem[] {
  const app = valueAt(document, path);
  if (valueAt(app, ["type"]) !== "oidc") return [];
  const grants = grantTypesOf((...at) => valueAt(document, at), path) ?? [];
  if (!grants.includes("authorization_code")) return [];
  const warnings: Problem[] = [];
  const idps = valueAt(app, ["authentication", "idps"]);
  if (!canSignIn(idps, names) && !isOpen) {
    const why = names.length === 0 ? "there is no connector to sign in at" : "its idps name no connector to sign in at";
    warnings.push({ path, message: `${NOBODY}: ${why}` });
  }
  if (indexesOf(valueAt(app, ["redirectURLs"])).length === 0) {
    warnings.push({ path, message: `${NOBODY}: redirectURLs names nowhere to come back to` });
  }
  return warnings;
}

/** Where clients come by themselves, who signs in with them was invited by nobody. */
function memberWarnings(document: unknown, known: KnownSignIn, runtime: Runtime): readonly Problem[] {
  const how = unknownClients(document, known, runtime);
  if (how === undefined) return [];
  return indexesOf(valueAt(document, ["apps"])).flatMap((index) => {
    const app = valueAt(document, ["apps", index]);
    const place = membersPlace(valueAt(app, ["type"]));
    if (place === undefined || valueAt(app, [...place, "members"]) !== undefined) return [];
    const message = `as clients ${how}, people must belong to the app's organization: say members: required, or any`;
    return [{ path: ["apps", index, ...place], message }];
  });
}

/** Where an app says whether people must belong to its organization; undefined: nobody asks. */
function membersPlace(type: unknown): Path | undefined {
  if (type === "proxy") return [];
  return type === "mcpBridge" || type === "mcpProxy" ? ["authorization", "inbound"] : undefined;
}

/** How clients come that nobody here set up; undefined: none do, or a placeholder says it. */
function unknownClients(document: unknown, { names }: KnownSignIn, runtime: Runtime): string | undefined {
  const [dynamic, clientIDMetadata, idps] = registrationOf(document);
  // Without tokens nobody is told apart.
  if (valueAt(document, OAUTH) !== true || !canSignIn(idps, names)) return undefined;
  if (dynamic === true) return "register themselves";
  // Where nothing is written of them, they are on where the instance can sign (`assemble/oidc-provider.ts`).
  const isOn = clientIDMetadata ?? (clientIDMetadata === undefined && (runtime === "node" || hasKeys(document)));
  return isOn === true ? "come with metadata documents" : undefined;
}

function registrationOf(document: unknown): readonly unknown[] {
  return ["dynamic", "clientIDMetadata", "idps"].map((key) => valueAt(document, [...REGISTRATION, key]));
}

function registrationWarnings(document: unknown, { names, isOpen }: KnownSignIn, runtime: Runtime): readonly Problem[] {
  const [dynamic, clientIDMetadata, idps] = registrationOf(document);
  if (canSignIn(idps, names)) {
    if (isWithoutScopes(document)) return [{ path: [...REGISTRATION, "allowedAudiences"], message: NO_SCOPES }];
    const isMissed = runtime !== "node" && clientIDMetadata === undefined && !hasKeys(document);
    return isMissed ? [{ path: ["oidcProvider"], message: NO_KEYS }] : [];
  }
  if (isOpen) return [];
  const written = Object.entries({ dynamic, clientIDMetadata }).filter(([, value]) => value === true);
  return written.map(([key]) => ({
    path: [...REGISTRATION, key],
    message: "accepted, without effect: there is no connector that people could sign in at",
  }));
}

/** Whether one of the connectors that are named, by default of all, is one to sign in at; a placeholder may name one. */
function canSignIn(idps: unknown, names: readonly string[]): boolean {
  return Array.isArray(idps) ? idps.some((idp) => idp === null || names.includes(idp)) : names.length > 0;
}

/** Whether agents go from here to a gateway elsewhere, whose tools' scopes nobody here knows unless they are written. */
function isWithoutScopes(document: unknown): boolean {
  if (valueAt(document, [...REGISTRATION, "scopes"]) !== undefined) return false;
  if (![undefined, false].some((value) => value === valueAt(document, ["mcpProvider", "enabled"]))) return false;
  return indexesOf(valueAt(document, [...REGISTRATION, "allowedAudiences"])).length > 0;
}

const NO_SCOPES =
  "agents get no scopes for tools over there: registration.scopes names those, beside openid, profile, email and offline_access";

/** Whether Workers and Lambda can sign: with keys of the document, or with their own, which they encrypt. */
function hasKeys(document: unknown): boolean {
  if (valueAt(document, ["oidcProvider", "keySecret"]) !== undefined) return true;
  return placesOf(document, ["oidcProvider", "jwks", "*", "privateKey"]).length > 0;
}

const NO_KEYS =
  "agents cannot come with the URL of a metadata document as client id: on Workers and Lambda that needs keySecret, or a privateKey in jwks";

/** A connector sends people back to one address, and only the callback waits for them there. */
function redirectWarnings(document: unknown, publicURL: string | undefined): readonly Problem[] {
  const callback = valueAt(document, ["oidcProvider", "discovery", "endpoints", "callback"]);
  const issuer = valueAt(document, ["oidcProvider", "discovery", "issuer"]) ?? publicURL;
  const first = indexesOf(valueAt(document, ["connectors"])).map((index) => {
    const path = ["connectors", index, "oauthLoginRedirect", "urls"];
    const urls = valueAt(document, path);
    const alias = ["connectors", index, "oauthRedirectURL"];
    const url = valueAt(document, alias);
    return urls === undefined && url !== undefined ? { path: alias, urls: [url] } : { path, urls };
  });
  const redirects = new Set(first.map(({ urls }) => valueAt(urls, [0])).filter((url) => isAt(issuer, url)));
  const accepted = typeof callback === "string" ? callback : redirects.size === 1 ? [...redirects][0] : undefined;
  return first.flatMap(({ path, urls }) => {
    const warnings: Problem[] = [];
    const url = valueAt(urls, [0]);
    if (typeof url === "string" && callback !== null && url !== accepted) warnings.push({ path, message: ELSEWHERE });
    if (indexesOf(urls).length > 1) warnings.push({ path, message: "accepted: people come back to the first of them" });
    return warnings;
  });
}

function isAt(issuer: unknown, url: unknown): boolean {
  if (typeof issuer !== "string" || typeof url !== "string" || !URL.canParse(issuer) || !URL.canParse(url))
    return false;
  return new URL(issuer).origin === new URL(url).origin;
}

const ELSEWHERE =
  "this is not the callback of oidcProvider: who signs in comes back only if something there sends people on to it";
