/**
 * oidc-provider with one API client, everything in memory: the peer that `bench/run.ts` measures beside Countersign.
 * Arguments: port, client id, public key as a JWK.
 */
const [port = "", clientId = "", publicKey = ""] = process.argv.slice(2);

// The package has no types; this is what we use of it.
const packageName: string = "oidc-provider";
const { default: Provider } = (await import(packageName)) as { readonly default: ProviderConstructor };

const provider = new Provider(`http://localhost:${port}`, {
  adapter: mapAdapter,
  clients: [
    {
      client_id: clientId,
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      jwks: { keys: [JSON.parse(publicKey)] },
      grant_types: ["client_credentials"],
      response_types: [],
      redirect_uris: [],
    },
  ],
  features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  ttl: { ClientCredentials: 3600 },
});
provider.listen(Number(port), "localhost");

type ProviderConstructor = new (
  issuer: string,
  configuration: Readonly<Record<string, unknown>>,
) => { listen(port: number, host: string): void };

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
