import { importPKCS8 } from "jose";
import { clientIds } from "../../../lib/api-clients/client-id.ts";
import { generateKeyPair } from "../../../lib/api-clients/key-pairs.ts";
import { fromBase64url } from "../../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { fingerprint } from "../../../lib/protocol/oauth/fingerprint.ts";
import type { ApiClientRecord, KeyPairRecord } from "../../../lib/stores/api-clients.ts";
import { type Answer, answerOf, type Signer, signAssertion, tokenParameters } from "../../behaviour/fixture.ts";
import { apiClient, keyPair } from "../../contract/records.ts";
import { ID_SECRET } from "../../support/runtime.ts";

/** The public address of the product under test; where it listens does not matter to it. */
export const PUBLIC_URL = "https://us.example";

/** A configuration with nothing but the authorization server. */
export const CONFIGURATION = `
version: "1"
logger:
  level: error
  jsonOutput: true
http:
  publicURL: "{{ env.PUBLIC_URL }}"
oidcProvider:
  region: "{{ env.REGION }}"
  apiClients:
    idSecret: <countersign.id-secret>
`;

export const VARIABLES: Readonly<Record<string, string>> = {
  PUBLIC_URL,
  SVC_SECRET_PROVIDER: "env://TEST_",
  TEST_COUNTERSIGN_ID_SECRET: ID_SECRET,
};

/** An id that the region's secret made. Nothing is stored. */
export function madeClientId(): string {
  return clientIds(fromBase64url(ID_SECRET) ?? new Uint8Array()).create(webCryptoRandom);
}

export interface SigningKey {
  readonly record: KeyPairRecord;
  readonly privateKey: CryptoKey;
  readonly pem: string;
}

export async function signingKey(): Promise<SigningKey> {
  const { publicKey, privateKeyPem } = await generateKeyPair();
  const privateKey = await importPKCS8(privateKeyPem, "ES256", { extractable: true });
  return { record: keyPair({ publicKey, fingerprint: fingerprint(publicKey) }), privateKey, pem: privateKeyPem };
}

/** A record whose id the product accepts, with these keys. */
export function clientWith(keys: readonly SigningKey[], fields: Partial<ApiClientRecord> = {}): ApiClientRecord {
  return apiClient({ clientId: madeClientId(), keyPairs: keys.map(({ record }) => record), ...fields });
}

/** An assertion of the key, for any number of token requests. */
export function assertionOf({ clientId }: Pick<ApiClientRecord, "clientId">, key: SigningKey): Promise<string> {
  const { keyPairId, fingerprint } = key.record;
  const signer: Signer = { clientId, key: { keyPairId, fingerprint, pem: key.pem, privateKey: key.privateKey } };
  return signAssertion(signer, { url: PUBLIC_URL });
}

export type FetchToken = (
  path: string,
  init: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body: string },
) => Promise<Response>;

/** Presents an assertion at the token endpoint of an isolate. */
export function present(
  fetchToken: FetchToken,
  assertion: string,
  isolate = "one",
  parameters: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return answerOf(
    fetchToken("/oauth2/token", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", "X-Isolate": isolate },
      body: new URLSearchParams(tokenParameters(assertion, parameters)).toString(),
    }),
  );
}
