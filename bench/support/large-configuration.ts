import { stringify } from "yaml";

/** How many apps of each kind, and how many connectors and authorization servers, make a configuration of a large gateway. */
const APPS = 24;
const CLIENTS = 40;
const CONNECTORS = 8;
const SERVERS = 6;
const TOOLS = 8;

/** A configuration of more than two thousand lines, as a gateway with many apps and clients has it. */
export function largeConfiguration(openapi: string): string {
  return stringify({
    version: "1",
    health: { location: "/status", heartbeat: { interval: "60s" } },
    logger: { level: "info", jsonOutput: true },
    http: { address: "0.0.0.0:8443", publicURL: "https://gateway.example", tls: "public" },
    tls: {
      public: { certFile: "/etc/tls/public.pem", keyFile: "/etc/tls/public-key.pem", minVersion: "1.2" },
      internal: { caFile: "/etc/tls/internal-ca.pem" },
    },
    connectors: times(CONNECTORS, connector),
    oidcProvider: {
      region: "us",
      discovery: { issuer: "https://gateway.example" },
      apiClients: { accessToken: { lifetime: "1h" } },
    },
    mcpProvider: {
      enabled: true,
      transports: { stream: { enabled: true, path: "/mcp", session: { enabled: true, timeout: "1h" } } },
      authorization: {
        oauth: {
          enabled: true,
          metadataPath: "/.well-known/oauth-protected-resource",
          servers: times(SERVERS, server),
        },
      },
    },
    apps: [...times(APPS, (index) => bridge(index, openapi)), ...times(APPS, proxy), ...times(CLIENTS, client)],
  });
}

function connector(index: number): object {
  return {
    name: `corp-${index}`,
    type: "oidc",
    oauthClientID: `gateway-${index}`,
    oauthClientSecret: `<corp-${index}.secret>`,
    oidcWellKnownURL: `https://idp-${index}.example/.well-known/openid-configuration`,
    tls: "internal",
    scopes: "openid profile email",
  };
}

function server(index: number): object {
  return {
    wellKnownEndpoint: `https://auth-${index}.example/.well-known/openid-configuration`,
    refreshInterval: "1h",
    tokenValidation: {
      expectedAudiences: ["https://gateway.example/mcp"],
      method: "auto",
      jwt: { clockSkew: "15s" },
      introspection: {
        clientID: "gateway",
        clientSecret: `<auth-${index}.secret>`,
        timeout: "5s",
        tokenPrefix: `as${index}_`,
      },
    },
  };
}

function bridge(index: number, openapi: string): object {
  return {
    name: `api-${index}`,
    type: "mcpBridge",
    toolNamespace: { name: `api${index}_` },
    openapi: { spec: { uri: openapi }, baseURL: `https://api-${index}.example/v1` },
    upstream: { timeout: "10s", tls: "internal" },
    authorization: {
      inbound: { tools: [{ name: "/.*/", scopes: [`api-${index}:read`] }] },
      outbound: { type: "unprotected" },
    },
  };
}

function proxy(index: number): object {
  return {
    name: `ledger-${index}`,
    type: "mcpProxy",
    toolNamespace: { name: `ledger${index}_` },
    upstream: {
      transport: "stream",
      stream: { url: `https://ledger-${index}.example/mcp`, tls: "internal", connection: { dialTimeout: "5s" } },
    },
    authorization: {
      inbound: { opa: { name: `ledger-${index}`, url: `https://opa.example/v1/data/ledger_${index}/result` } },
      outbound: {
        type: "tokenExchange",
        tokenExchange: {
          type: "delegation",
          idp: `corp-${index % CONNECTORS}`,
          audience: `https://ledger-${index}.example/`,
          tools: times(TOOLS, (tool) => ({ name: `tool${tool}`, ttl: "5s", scopes: [{ name: `ledger:${tool}` }] })),
        },
      },
    },
  };
}

function client(index: number): object {
  return {
    name: `client-${index}`,
    type: "oidc",
    clientID: `client-${index}`,
    credentials: { secrets: [`<client-${index}.secret>`] },
    redirectURLs: [`https://agent-${index}.example/callback`],
    authentication: { idps: [`corp-${index % CONNECTORS}`] },
    grantTypes: ["authorization_code", "refresh_token"],
    accessToken: { type: "jwt", lifetime: "15m" },
    allowedAudiences: [`https://api-${index}.example/`],
  };
}

function times<Item>(count: number, make: (index: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
