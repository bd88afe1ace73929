/**
 * oidc-provider, everything in memory: the peer that `bench/run.ts` measures beside Countersign. Argument: `PeerOptions` as JSON.
 */
export interface PeerOptions {
  readonly port: number;
  readonly clientId: string;
  /** Public half of the client's key. */
  readonly jwk: unknown;
  /** A second client, which introspects. */
  readonly introspector: { readonly clientId: string; readonly secret: string };
}

const { port, clientId, jwk, introspector } = JSON.parse(process.argv[2] ?? "") as PeerOptions;

// The package has no types; this is what we use of it.
const packageName: string = "oidc-provider";
const { default: Provider } = (await import(packageName)) as { readonly default: ProviderConstructor };

const unusedGrants = { response_types: [], redirect_uris: [] };
const provider = new Provider(`http://localhost:${port}`, {
  adapter: mapAdapter,
  clients: [
    {
      client_id: clientId,
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      jwks: { keys: [jwk] },
      grant_types: ["client_credentials"],
      ...unusedGrants,
    },
    {
      client_id: introspector.clientId,
      client_secret: introspector.secret,
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: [],
      ...unusedGrants,
    },
  ],
  clientAuthMethods: ["private_key_jwt", "client_secret_basic"],
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    devInteractions: { enabled: false },
  },
  ttl: { ClientCredentials: 3600 },
});
provider.listen(port, "localhost");

type ProviderConstructor = new (
  issuer: string,
  configuration: Readonly<Record<string, unknown>>,
) => { listen(port: number, host: string): void };

/** A map for each model, unbounded, without timers: no store can answer sooner. */
function mapAdapter() {
  const records = new Map<string, unknown>();
  return {
    upsert: async (id: string, payload: unknown) => {
      records.set(id, payload);
    },
    find: async (id: string) => records.get(id),
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
    consume: async () => undefined,
    destroy: async (id: string) => {
      records.delete(id);
    },
    revokeByGrantId: async () => undefined,
  };
}
