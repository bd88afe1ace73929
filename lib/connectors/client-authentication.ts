import { type CryptoKey, importJWK, importPKCS8, type JWK } from "jose";
import { type ClientAuth, ClientSecretBasic, ClientSecretPost, None, PrivateKeyJwt } from "oauth4webapi";
import type { ConnectorConfiguration } from "../config/configuration.ts";

type Settings = Pick<ConnectorConfiguration, "clientAuthentication" | "clientSecret" | "privateKey">;

/**
 * How this instance proves itself to a connector's token endpoint (OpenID Connect Core 1.0 §9). Rejects where the private
 * key cannot be used.
 */
export async function connectorClientAuthentication(settings: Settings): Promise<ClientAuth> {
  const { clientAuthentication, clientSecret, privateKey } = settings;
  if (clientAuthentication === "private_key_jwt") return signed(privateKey);
  if (clientSecret === undefined) return None();
  return clientAuthentication === "client_secret_post"
    ? ClientSecretPost(clientSecret)
    : ClientSecretBasic(clientSecret);
}

async function signed(privateKey: Settings["privateKey"]): Promise<ClientAuth> {
  if (privateKey === undefined) throw new Error("the connector has no privateKey");
  if (typeof privateKey === "string") return PrivateKeyJwt(await keyOfPem(privateKey));
  const { kid, kty } = privateKey;
  const key = await importJWK(privateKey as JWK, kty === "RSA" ? "RS256" : "ES256");
  if (key instanceof Uint8Array) throw new Error("the connector's privateKey is a shared secret");
  return PrivateKeyJwt(typeof kid === "string" ? { key, kid } : { key });
}

/** PKCS#8 says which kind of key it is to who tries. */
async function keyOfPem(pem: string): Promise<CryptoKey> {
  try {
    return await importPKCS8(pem, "ES256");
  } catch {
    // Not one on P-256.
    return importPKCS8(pem, "RS256");
  }
}
