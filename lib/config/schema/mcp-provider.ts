import { section } from "./section.ts";
import { choice, duration, flag, integer, list, path, positiveDuration, secret, text, url } from "./types.ts";

const keepAlive = section({ enabled: flag().default(false), interval: duration().optional() });

const sse = section({
  enabled: flag().default(false),
  baseURL: url().optional(),
  basePath: path().optional(),
  path: path().optional(),
  messagePath: path().optional(),
  keepAlive: keepAlive.optional(),
});

const session = section({
  enabled: flag().default(false),
  headerName: text().optional(),
  allowClientTermination: flag().optional(),
  timeout: duration().optional(),
});

const stream = section({
  enabled: flag().default(false),
  path: path().optional(),
  endpointPath: path().optional(),
  session: session.optional(),
});

const introspection = section({
  clientID: text().optional(),
  clientSecret: secret(text()).optional(),
  timeout: duration().optional(),
  maxRetries: integer(0, 10).default(2),
  tokenPrefix: text().optional(),
});

const tokenValidation = section({
  expectedAudiences: list(text()),
  method: choice(["jwt", "introspection", "auto"]).default("jwt"),
  jwt: section({ clockSkew: duration().default(0) }).prefault({}),
  introspection: introspection.optional(),
});

const server = section({
  wellKnownEndpoint: url(),
  refreshInterval: positiveDuration().default(24 * 3_600_000),
  tokenValidation,
});

const oauth = section({
  enabled: flag().default(false),
  metadataPath: path().optional(),
  servers: list(server).default([]),
});

/** `mcpProvider`: the gateway toward agents. What depends on several keys is in `rules/mcp-provider.ts`. */
export const mcpProvider = section({
  enabled: flag(),
  serverName: text().default("Countersign AI Identity Gateway"),
  transports: section({ sse: sse.optional(), stream: stream.prefault({}) }).prefault({}),
  authorization: section({ oauth: oauth.prefault({}) }).prefault({}),
  allowedOrigins: list(url()).optional(),
  allowedHosts: list(text()).optional(),
  catalog: section({
    search: choice(["auto", "on", "off"]).optional(),
    threshold: integer(1, 100_000).optional(),
  }).optional(),
}).optional();
