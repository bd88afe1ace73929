import { generateKeyPair, SignJWT } from "jose";
import { credentialKey } from "../../lib/gateway/credentials/credentials.ts";
import { createKeptCredentials } from "../../lib/gateway/credentials/kept-credentials.ts";
import { systemClock } from "../../lib/kernel/clock.ts";

/** Obtains a credential as the gateway does for a call, where one was exchanged before. */
export async function keptCredential(): Promise<() => Promise<void>> {
  const token = await agentToken();
  const identity = { issuer: "https://auth.example", user: { sub: "user_a-person" }, agent: { clientID: "an-agent" } };
  const server = { kind: "own", issuer: "https://auth.example", clientID: "gateway" } as const;
  const terms = {
    mode: "delegation",
    audience: "https://ledger.example/",
    scopes: ["ledger:read"],
    ttl: 900_000,
  } as const;
  const kept = createKeptCredentials(systemClock);
  const exchange = async () => ({ outcome: "obtained", token: "exchanged", expiresIn: 900 }) as const;
  const ttl = terms.ttl;
  let exchanges = 0;
  return async () => {
    const key = credentialKey({ server, terms, identity, token });
    const outcome = await kept.get(key, {
      ttl,
      waitUntil: () => undefined,
      exchange: () => {
        exchanges += 1;
        return exchange();
      },
    });
    if (outcome.outcome !== "obtained" || exchanges > 1) throw new Error("the credential was not kept");
  };
}

/** As long as those that agents have. */
async function agentToken(): Promise<string> {
  const { privateKey } = await generateKeyPair("ES256");
  const claims = {
    iss: "https://auth.example",
    sub: "user_a-person",
    aud: "https://gateway.example/mcp",
    client_id: "https://agent.example/client.json",
    scope: "notes:read notes:write offline_access",
    auth_time: 1_800_000_000,
    chain: { id: "chain_0001JQ8Z1V5T9M6X2K7R3B4C5D6E", consent: "consent_01JQ8Z1V5T9M6X2K7R3B4C5D6E" },
  };
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "key" }).sign(privateKey);
}
