import { importPKCS8, SignJWT } from "jose";
import { isJsonObject } from "../../kernel/json.ts";
import { type AccessToken, tokenFrom } from "../access-token.ts";
import { jsonAnswer, type SendSecretRequest, signInFailure, withHint } from "../http.ts";
import type { SecretSources } from "../provider.ts";
import { SecretError } from "../provider.ts";

const METADATA = new URL("http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token");
const KEY_FILE = "GOOGLE_APPLICATION_CREDENTIALS";
const KEY = "GOOGLE_SERVICE_ACCOUNT_JSON";

export interface GcpSignInOptions extends Pick<SecretSources, "clock" | "environment" | "readFile"> {
  /** For errors. */
  readonly provider: string;
  readonly send: SendSecretRequest;
}

/**
 * How access tokens are had: as the service account whose key is in the variable GOOGLE_SERVICE_ACCOUNT_JSON or in the file
 * that GOOGLE_APPLICATION_CREDENTIALS names, else as the one that the machine runs as, from its metadata server.
 * @throws SecretError when a key is there and cannot be used
 */
export async function gcpSignIn(options: GcpSignInOptions): Promise<() => Promise<AccessToken>> {
  const account = await serviceAccount(options);
  if (account !== undefined) return () => tokenForKey(account, options);
  const hint = `the machine's own service account was asked for, as neither ${KEY} nor ${KEY_FILE} is set`;
  return () => withHint(hint, () => tokenOfMachine(options));
}

async function serviceAccount({ environment, readFile }: GcpSignInOptions): Promise<ServiceAccount | undefined> {
  const key = environment[KEY];
  if (key) return parseServiceAccount(key, `The variable ${KEY}`);
  const path = environment[KEY_FILE];
  if (!path) return undefined;
  if (readFile === undefined) throw new SecretError(`${KEY_FILE} needs files, which are not here; accepted: ${KEY}.`);
  const read = readFile(path).catch((cause: unknown) => {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    throw new SecretError(`The file that ${KEY_FILE} names cannot be read${reason}.`, { cause });
  });
  return parseServiceAccount(await read, `The file that ${KEY_FILE} names`);
}

/** RFC 7523 §2.1. */
async function tokenForKey(account: ServiceAccount, { provider, send, clock }: GcpSignInOptions): Promise<AccessToken> {
  const grant = {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: await gcpAssertion(account, clock.now()),
  };
  const answer = await send({
    url: account.tokenUri,
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(grant).toString(),
  });
  const token = tokenFrom(answer);
  if (token !== undefined) return token;
  const meaning = "the service account or its key is not valid (any more), or the clock is wrong";
  const code = jsonAnswer(answer)?.error;
  throw signInFailure(provider, answer, { code, meanings: { 400: meaning, 401: meaning } });
}

async function tokenOfMachine({ provider, send }: GcpSignInOptions): Promise<AccessToken> {
  const answer = await send({ url: METADATA, headers: { "Metadata-Flavor": "Google" } });
  const token = tokenFrom(answer);
  if (token !== undefined) return token;
  throw signInFailure(provider, answer, { meanings: { 404: "it runs as none" } });
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** Google takes one hour at most; seconds. */
const LIFETIME = 3_600;

/**
 * The assertion with which a service account asks for an access token: signed with RS256, its audience the token endpoint.
 * @param now milliseconds since the epoch
 * @throws SecretError when the private key is none of RSA
 */
async function gcpAssertion({ email, keyId, privateKey, tokenUri }: ServiceAccount, now: number): Promise<string> {
  const issuedAt = Math.floor(now / 1_000);
  const key = await importPKCS8(privateKey, "RS256").catch(() => {
    // The reason would be about the key's bytes.
    throw new SecretError(`The private key of the service account ${email} cannot be used; accepted: RSA in PKCS#8.`);
  });
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(email)
    .setAudience(tokenUri.href)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME)
    .sign(key);
}

/** What is used of a service account key. */
interface ServiceAccount {
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
function parseServiceAccount(text: string, where: string): ServiceAccount {
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
