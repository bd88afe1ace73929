import type { OidcAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { ConnectorConfiguration } from "../../lib/config/configuration.ts";

export const CORP: ConnectorConfiguration = {
  name: "corp",
  type: "oidc",
  wellKnownURL: "https://corp.example/.well-known/openid-configuration",
  clientID: "countersign-at-corp",
  clientSecret: "secret at corp",
  scopes: ["openid"],
  disablePKCE: false,
  offlineAccess: false,
  clientAuthentication: "client_secret_basic",
};

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** An `oidc` app with a secret: people sign in at `corp`, and it may do nothing more unless the fields say so. */
export function oidcApp(clientID: string, fields: Partial<OidcAppConfiguration> = {}): OidcAppConfiguration {
  return {
    type: "oidc",
    name: `the app ${clientID}`,
    clientID,
    isPublic: false,
    secrets: [secretOf(clientID)],
    jwks: [],
    redirectURLs: [REDIRECT],
    idps: ["corp"],
    grantTypes: [],
    accessToken: { type: "jwt", lifetime: 3_600_000 },
    allowedAudiences: [],
    scopes: [],
    defaultScopes: [],
    claimsMapping: {},
    tokenExchange: { impersonation: false, subjectConnectors: [] },
    consent: "once",
    ...fields,
  };
}

export function secretOf(clientID: string): string {
  return `the secret of ${clientID}`;
}

export const REDIRECT = "https://agent.example/callback";
export const GATEWAY = "https://gateway.example/mcp";
export const LEDGER = "https://ledger.example/api";

/** An agent that acts for people toward the gateway. */
export const AGENT = oidcApp("agent", {
  grantTypes: ["authorization_code", "refresh_token"],
  allowedAudiences: [GATEWAY, LEDGER],
  scopes: ["openid", "profile", "email", "offline_access", "tools:read", "tools:write"],
  claimsMapping: { department: "corp.department" },
});

/** The same without credentials. */
export const PUBLIC_AGENT: typeof AGENT = { ...AGENT, clientID: "public-agent", isPublic: true, secrets: [] };

/** Exchanges what was meant for the gateway for tokens toward the ledger. */
export const EXCHANGER = oidcApp("gateway", {
  grantTypes: [TOKEN_EXCHANGE],
  allowedAudiences: [LEDGER, GATEWAY],
  scopes: ["ledger:read", "ledger:write"],
  tokenExchange: { impersonation: false, subjectAudiences: [GATEWAY], subjectConnectors: [] },
});

/** One more link: what was meant for the ledger. */
export const LEDGER_APP = oidcApp("ledger", {
  ...EXCHANGER,
  clientID: "ledger",
  secrets: [secretOf("ledger")],
  accessToken: { type: "opaque", lifetime: 600_000 },
  tokenExchange: { impersonation: false, subjectAudiences: [LEDGER], subjectConnectors: [] },
});

/** May ask for tokens that name nobody but the person. */
export const IMPERSONATOR = oidcApp("impersonator", {
  ...EXCHANGER,
  clientID: "impersonator",
  secrets: [secretOf("impersonator")],
  tokenExchange: { impersonation: true, maxLifetime: 300_000, subjectConnectors: [] },
});

export const OAUTH_APPS: readonly OidcAppConfiguration[] = [AGENT, PUBLIC_AGENT, EXCHANGER, LEDGER_APP, IMPERSONATOR];
