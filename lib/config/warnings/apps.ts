import { isLoopbackRedirect } from "../../protocol/oauth/redirect-url.ts";
import { isServedGrantType, TOKEN_EXCHANGE } from "../app-configuration.ts";
import { reasonsWithoutTokens } from "../not-served.ts";
import { type Path, placesOf, valueAt } from "../path.ts";
import { indexesOf, type Problem } from "../rules/rule.ts";

/** What is to be said about each app of the plain document that is not served, or not all of it. */
export function appWarnings(apps: readonly unknown[]): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const path = ["apps", index];
    switch (valueAt(app, ["type"])) {
      case "proxy":
        // Of these more is needed than the app (`web-app.ts`).
        return [];
      case "oidc":
        return oidcWarnings(app, path);
      default:
        return toolWarnings(app, path);
    }
  });
}

function toolWarnings(app: unknown, path: Path): readonly Problem[] {
  return valueAt(app, ["type"]) === "mcpProxy" ? proxyWarnings(app, path) : bridgeWarnings(app, path);
}

function bridgeWarnings(app: unknown, path: Path): readonly Problem[] {
  if (valueAt(app, ["upstream", "shareable"]) !== true) return [];
  const message = "accepted, without effect: REST APIs have no sessions";
  return [{ path: [...path, "upstream", "shareable"], message }];
}

/** Of the two ways to an MCP server one is taken. */
function proxyWarnings(app: unknown, path: Path): readonly Problem[] {
  const transport = valueAt(app, ["upstream", "transport"]) ?? "stream";
  const other = transport === "sse" ? "stream" : "sse";
  if (valueAt(app, ["upstream", "transport"]) === null || valueAt(app, ["upstream", other]) === undefined) return [];
  const message = `accepted, without effect: upstream.transport is ${String(transport)}`;
  return [{ path: [...path, "upstream", other], message }];
}

/** What an `oidc` app asks for and does not get, and what it may do that its owner may not have meant. */
function oidcWarnings(app: unknown, path: Path): readonly Problem[] {
  const reasons = reasonsWithoutTokens(app);
  if (reasons.length > 0) {
    return [{ path, message: `it gets no tokens: this version does not ${reasons.join(", ")}`, isUnserved: true }];
  }
  const warnings: Problem[] = [];
  const written = valueAt(app, ["grantTypes"]);
  const grants = Array.isArray(written) ? written : [];
  const ignored = grants.filter((grant) => grant !== null && !isServedGrantType(grant));
  if (ignored.length > 0) {
    const message = `accepted, without effect: ${ignored.join(", ")} ${ignored.length === 1 ? "is" : "are"} not served to apps`;
    warnings.push({ path: [...path, "grantTypes"], message });
  }
  if (grants.includes("client_credentials") && indexesOf(valueAt(app, ["allowedAudiences"])).length === 0) {
    const message = "client_credentials gets no token: allowedAudiences names no audience";
    warnings.push({ path: [...path, "grantTypes"], message });
  }
  if (grants.includes(TOKEN_EXCHANGE) && valueAt(app, ["tokenExchange", "subjectAudiences"]) === undefined) {
    warnings.push({ path, message: ANY_AUDIENCE });
  }
  return [...warnings, ...redirectWarnings(app, path)];
}

function redirectWarnings(app: unknown, path: Path): readonly Problem[] {
  return placesOf(app, ["redirectURLs", "*"])
    .filter((place) => isReadable(valueAt(app, place)))
    .map((place) => ({ path: [...path, ...place], message: READABLE }));
}

function isReadable(redirect: unknown): boolean {
  if (typeof redirect !== "string" || !URL.canParse(redirect)) return false;
  return new URL(redirect).protocol === "http:" && !isLoopbackRedirect(redirect);
}

const READABLE = "authorization codes travel unprotected: use https for what is on another machine";

const ANY_AUDIENCE =
  "tokens for any audience of this issuer can be exchanged by it; tokenExchange.subjectAudiences names those that it may bring";
