import { createLocalJWKSet, type JWK } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { mintAccessToken } from "../../../lib/authorization-server/tokens/access-token.ts";
import { grantShard, newChainId } from "../../../lib/authorization-server/tokens/sharding.ts";
import type { OidcAppConfiguration, TokenExchangeConfiguration } from "../../../lib/config/app-configuration.ts";
import { ulid } from "../../../lib/kernel/ids.ts";
import type { TokenRecord } from "../../../lib/stores/tokens.ts";
import { ISSUER, PROVIDER } from "../../support/in-process.ts";
import { type ProtectedUpstream, startProtectedUpstream } from "../../support/protected-upstream.ts";
import { type GatewayOptions, RESOURCE, type StartedGateway, startedGateway, trusted } from "../started.ts";

export const AUDIENCE = "https://ledger.example/";

/** The gateway as a client of this instance. */
export const GATEWAY_CLIENT: OidcAppConfiguration = {
  type: "oidc",
  name: "gateway",
  clientID: "gateway",
  isPublic: false,
  secrets: ["gateway-secret"],
  jwks: [],
  redirectURLs: [],
  idps: [],
  grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"],
  accessToken: { type: "jwt", lifetime: 3_600_000 },
  allowedAudiences: [AUDIENCE],
  scopes: ["ledger:list", "ledger:read"],
  defaultScopes: [],
  claimsMapping: {},
  tokenExchange: { impersonation: false, subjectAudiences: [RESOURCE], subjectConnectors: [] },
  consent: "never",
};

export const OUTBOUND: TokenExchangeConfiguration = {
  type: "tokenExchange",
  mode: "delegation",
  idp: "oidcProvider",
  clientID: "gateway",
  audience: AUDIENCE,
  tools: [
    { name: "getNote", ttl: 120_000, scopes: ["ledger:read"] },
    { name: "/list.*/", ttl: 900_000, scopes: ["ledger:list"] },
  ],
};

/** Who a token is about; by default one person with one agent and one device. */
export interface TokenFields {
  readonly subject?: string;
  readonly clientId?: string;
  readonly claims?: TokenRecord["claims"];
  readonly lifetime?: number;
  readonly organizationId?: string;
}

export interface Exchanging {
  readonly gateway: StartedGateway;
  readonly upstream: ProtectedUpstream;
  restart(options: Partial<GatewayOptions>): Promise<void>;
  /** A token of a chain of its own. */
  token(fields?: TokenFields): Promise<{ readonly text: string; readonly record: TokenRecord }>;
}

/**
 * A gateway that exchanges at its own instance, before an upstream that verifies tokens. The clock is the upstream's as well.
 */
export function withOwnExchange(options: Partial<GatewayOptions> = {}): Exchanging {
  let upstream: ProtectedUpstream;
  let gateway: StartedGateway;
  const start = async (more: Partial<GatewayOptions> = {}) => {
    gateway = await startedGateway({
      servers: [trusted(PROVIDER.endpoints.wellKnown, { method: "auto" })],
      upstreamURL: upstream.url,
      outbound: OUTBOUND,
      clients: [GATEWAY_CLIENT],
      ...options,
      ...more,
    });
    upstream.expect({
      keys: async (header, token) => {
        const keys = (await gateway.dependencies.keyRing.publicKeys()) as unknown as JWK[];
        return createLocalJWKSet({ keys })(header, token);
      },
      issuer: ISSUER,
      audience: AUDIENCE,
    });
  };
  beforeAll(async () => {
    upstream = await startProtectedUpstream();
  });
  afterAll(() => upstream.stop());
  beforeEach(() => start());
  afterEach(async () => {
    upstream.refuse(0);
    await gateway.close();
  });
  return {
    get gateway() {
      return gateway;
    },
    get upstream() {
      return upstream;
    },
    async restart(more) {
      await gateway.close();
      await start(more);
    },
    token: (fields) => personToken(gateway, fields),
  };
}

/** A token of this instance, of a chain of its own. */
export async function personToken(
  { dependencies, clock }: Pick<StartedGateway, "dependencies" | "clock">,
  fields: TokenFields = {},
) {
  const { subject = "user_a-person", clientId = "an-agent", claims = {}, lifetime = 3_600_000 } = fields;
  const now = clock.now();
  const { organizationId } = fields;
  const chainId = newChainId(grantShard(subject, clientId), now, dependencies.random);
  const record: TokenRecord = {
    chainId,
    tokenId: `tok_${ulid(now, dependencies.random)}`,
    clientId,
    ...(organizationId !== undefined && { organizationId }),
    subject,
    audience: RESOURCE,
    scopes: ["notes:read"],
    issuedAt: now,
    expiresAt: now + lifetime,
    claims,
  };
  return { text: (await mintAccessToken(record, "jwt", dependencies)).text, record };
}
