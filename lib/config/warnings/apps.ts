import { reasonsNotServed } from "../not-served.ts";
import { type Path, valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

/** Keys of `oidc` apps about grants and sign-in, which change nothing yet. */
const GRANT_KEYS = [
  "organization",
  "redirectURLs",
  "authentication",
  "grantTypes",
  "accessToken",
  "allowedAudiences",
  "customScopes",
  "claimsMapping",
  "tokenExchange",
  "consent",
  "scopes",
];

/** One warning for each app of the plain document that this version does not serve, or not all of. */
export function appWarnings(apps: readonly unknown[]): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const path = ["apps", index];
    switch (valueAt(app, ["type"])) {
      case "proxy":
        return [{ path, message: "accepted, not yet in effect: its routes are not served" }];
      case "oidc":
        return oidcWarnings(app, path);
      default:
        return toolWarnings(app, path);
    }
  });
}

function toolWarnings(app: unknown, path: Path): readonly Problem[] {
  const reasons = reasonsNotServed(app);
  if (reasons.length > 0) {
    return [{ path, message: `its tools are not served: this version does not ${reasons.join(", ")}` }];
  }
  if (valueAt(app, ["upstream", "shareable"]) !== true) return [];
  return [
    { path: [...path, "upstream", "shareable"], message: "accepted, without effect: REST APIs have no sessions" },
  ];
}

function oidcWarnings(app: unknown, path: Path): readonly Problem[] {
  const keys = GRANT_KEYS.filter((key) => valueAt(app, [key]) !== undefined);
  if (!hasSecrets(app)) {
    return [{ path, message: "its client is not registered: this version authenticates clients by secrets only" }];
  }
  if (valueAt(app, ["credentials", "jwks"]) !== undefined) keys.push("credentials.jwks");
  if (keys.length === 0) return [];
  return [{ path, message: `accepted, not yet in effect: ${keys.join(", ")}; it can introspect and revoke tokens` }];
}

/** Whether an `oidc` app of the plain document can authenticate. */
function hasSecrets(app: unknown): boolean {
  const secrets = valueAt(app, ["credentials", "secrets"]);
  return Array.isArray(secrets) && secrets.length > 0;
}
