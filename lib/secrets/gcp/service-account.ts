import { isJsonObject } from "../../json.ts";
import { SecretError } from "../provider.ts";

/** What is used of a service account key. */
export interface ServiceAccount {
  readonly email: string;
  readonly keyId: string | undefined;
  /** PKCS#8 in PEM. */
  readonly privateKey: string;
  readonly tokenUri: URL;
}

const TOKEN_URI = "https://oauth2.googleapis.com/token";

/**
 * Reads a service account key as Google hands it out.
 * @param where for errors, as the start of a sentence
 * @throws SecretError that names what is missing and quotes nothing
 */
export function parseServiceAccount(text: string, where: string): ServiceAccount {
  const key = parsed(text);
  const refuse = (what: string) => new SecretError(`${where} ${what}; accepted: the JSON key of a service account.`);
  if (!isJsonObject(key)) throw refuse("is no JSON object");
  if (key.type !== "service_account") throw refuse('has no type "service_account"');
  const { client_email: email, private_key: privateKey, private_key_id: keyId, token_uri: uri = TOKEN_URI } = key;
  if (typeof email !== "string" || email === "") throw refuse("has no client_email");
  if (typeof privateKey !== "string" || !privateKey.startsWith("-----BEGIN PRIVATE KEY-----")) {
    throw refuse("has no private_key in PEM (PKCS#8)");
  }
  if (typeof uri !== "string" || !uri.startsWith("https://") || !URL.canParse(uri)) {
    throw refuse("has no token_uri with https");
  }
  return { email, privateKey, keyId: typeof keyId === "string" ? keyId : undefined, tokenUri: new URL(uri) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
