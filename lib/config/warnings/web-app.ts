import { parseRoutePattern } from "../../reverse-proxy/routes.ts";
import { type KnownSignIn, knownSignIn } from "../oauth-features.ts";
import { type Path, valueAt } from "../path.ts";
import { OWN_PROVIDER } from "../rules/names.ts";
import { indexesOf, type Problem } from "../rules/rule.ts";

/** What is to be said about each web app of a plain document: what is open wider than may be meant. */
export function webAppWarnings(document: unknown, publicURL: string | undefined): readonly Problem[] {
  const known = knownSignIn(document, publicURL);
  return indexesOf(valueAt(document, ["apps"])).flatMap((index) => {
    const path = ["apps", index];
    const app = valueAt(document, path);
    if (valueAt(app, ["type"]) !== "proxy") return [];
    return [...consoleWarnings(document, app, path, publicURL), ...policyWarnings(app, path, known)];
  });
}

/** Scripts of one origin may do there whatever the person may: no cookie and no header tells their pages apart (RFC 6454). */
function consoleWarnings(
  document: unknown,
  app: unknown,
  path: Path,
  publicURL: string | undefined,
): readonly Problem[] {
  if (valueAt(document, ["console", "enabled"]) !== true) return [];
  const hosts = [publicURL, valueAt(document, ["console", "baseURL"])].map(hostOf).filter((host) => host !== undefined);
  const shared = indexesOf(valueAt(app, ["routePatterns"])).find((index) => {
    const written = valueAt(app, ["routePatterns", index]);
    const route = typeof written === "string" ? parseRoutePattern(written) : undefined;
    return route !== undefined && (route.host === undefined || hosts.includes(route.host));
  });
  return shared === undefined ? [] : [{ path: [...path, "routePatterns", shared], message: ON_THE_CONSOLE }];
}

const ON_THE_CONSOLE =
  "DANGEROUS: the app shares its origin with the Console, so that every script of the app can act there as whoever is signed in; give the app a host of its own";

function hostOf(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).host : undefined;
}

function policyWarnings(app: unknown, path: Path, known: KnownSignIn): readonly Problem[] {
  return indexesOf(valueAt(app, ["policies"])).flatMap((index) => {
    const policy = valueAt(app, ["policies", index]);
    const place = [...path, "policies", index];
    const idps = connectorsOf(valueAt(policy, ["authentication", "idps"]), known);
    return [...nobodyWarnings(policy, place, known), ...openWarnings(policy, place, idps)];
  });
}

/** Which connectors a policy names, as far as they are known. */
function connectorsOf(idps: unknown, { names }: KnownSignIn): readonly string[] {
  const written: readonly unknown[] = Array.isArray(idps) ? idps : [];
  const all = written.flatMap((name) => (name === OWN_PROVIDER ? names : typeof name === "string" ? [name] : []));
  return [...new Set(all)];
}

/** Where the only connectors are those at this very instance, people would be sent round in a circle. */
function nobodyWarnings(policy: unknown, place: Path, { names, isOpen }: KnownSignIn): readonly Problem[] {
  const idps = valueAt(policy, ["authentication", "idps"]);
  if (isOpen || indexesOf(idps).length === 0 || valueAt(policy, ["authentication", "bearer"]) !== undefined) return [];
  const canSignIn = (idp: unknown) =>
    idp === null || (idp === OWN_PROVIDER ? names.length > 0 : names.includes(String(idp)));
  if (Array.isArray(idps) && idps.some(canSignIn)) return [];
  const message = "nobody can sign in for it: its idps name no connector to sign in at";
  return [{ path: [...place, "authentication", "idps"], message }];
}

/** Without `authorization` whoever signs in may use the app, which few providers mean for all their people. */
function openWarnings(policy: unknown, place: Path, idps: readonly string[]): readonly Problem[] {
  if (valueAt(policy, ["authorization"]) !== undefined) return [];
  const hasBearer = valueAt(policy, ["authentication", "bearer"]) !== undefined;
  const people = idps.length === 0 ? [] : [`everybody who can sign in at ${listed(idps)}`];
  const who = [...people, ...(hasBearer ? ["every program with a token for it"] : [])].join(" and ");
  if (who === "") return [];
  return [{ path: place, message: `${who} may use it: say so with authorization.allowAll: true, or add checks` }];
}

function listed(names: readonly string[]): string {
  return names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}
