import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, type JWK, SignJWT } from "jose";
import { JWT_BEARER } from "../../../lib/authorization-server/client-assertion.ts";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { oauthMetadataPath, openIdMetadataPath } from "../../../lib/protocol/http/well-known.ts";
import { noAnswer, statusError, UnreachableError } from "../exit-codes.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { outboundFetch } from "../net/open-fetch.ts";
import { UsageError } from "../usage-error.ts";
import { readKey } from "./read-key.ts";

const FLAGS = { issuer: "string", client: "string", key: "string", resource: "string", scope: "string" } as const;
/** Milliseconds a server may take to answer. */
const TIMEOUT = 10_000;

/**
 * `countersign token -issuer URL -client ID -key FILE [-resource URL] [-scope S]`: discovers the token endpoint, signs an
 * assertion and prints the access token.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { issuer = "", client = "", key = "", resource, scope } = parseFlags(args, FLAGS);
  if (issuer === "" || client === "" || key === "") throw new UsageError("-issuer, -client and -key are required.");
  if (!isIssuer(issuer)) {
    const found = JSON.stringify(issuer.slice(0, 200));
    throw new UsageError(`-issuer: found ${found}; accepted: an http or https URL without a query.`);
  }
  const signer = await readSigningKey(await readKey(key));
  const tokenEndpoint = await discoverTokenEndpoint(issuer.replace(/\/$/, ""));
  const parameters = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: JWT_BEARER,
    client_assertion: await signClientAssertion(signer, client, tokenEndpoint),
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
  });
  io.stdout(`${await requestToken(tokenEndpoint, parameters)}\n`);
  return 0;
}

/** OpenID Connect Core §2; over http for servers on the same machine. */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !/[?#]/.test(text);
}

/** At either address that a server may have its document at. What the first one says is wrong is told. */
async function discoverTokenEndpoint(issuer: string): Promise<string> {
  const { origin } = new URL(issuer);
  let refusal: UsageError | UnreachableError | undefined;
  for (const path of [openIdMetadataPath(issuer), oauthMetadataPath(issuer)]) {
    try {
      return await tokenEndpointAt(origin + path, issuer);
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof UnreachableError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** The issuer in the document must be the one asked for (OpenID Connect Discovery §4.3, RFC 8414 §3.3). */
async function tokenEndpointAt(address: string, issuer: string): Promise<string> {
  const { status, body } = await fetchJson(address);
  if (status !== 200) throw new UnreachableError(`${issuer} answered discovery with ${status}.`);
  if (typeof body.issuer !== "string") throw new UnreachableError(`${issuer} does not say which issuer it is.`);
  if (body.issuer.replace(/\/$/, "") !== issuer) {
    throw new UsageError(`${issuer} calls itself ${JSON.stringify(body.issuer.slice(0, 200))}: use that as -issuer.`);
  }
  if (typeof body.token_endpoint !== "string") throw new UnreachableError(`${issuer} names no token endpoint.`);
  return body.token_endpoint;
}

async function requestToken(tokenEndpoint: string, parameters: URLSearchParams): Promise<string> {
  const { status, body } = await fetchJson(tokenEndpoint, { method: "POST", body: parameters });
  if (status === 200 && typeof body.access_token === "string") return body.access_token;
  const reason = [body.error, body.error_description].filter((part) => typeof part === "string").join(": ");
  const refusal = `The token request was refused with ${status}${reason === "" ? "" : ` (${reason})`}.`;
  throw statusError(status, refusal + refusalHint(body.error, body.error_description));
}

async function fetchJson(
  url: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const fetch = outboundFetch(process.env);
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT) });
    const body: unknown = await response.json();
    if (isJsonObject(body)) return { status: response.status, body };
  } catch (error) {
    throw noAnswer(url, error);
  }
  throw new UnreachableError(`${url} answered with something else than a JSON object.`);
}

/** How long an assertion made here is good for, seconds. */
const LIFETIME = 60;

/** The private key of an API client. */
export interface SigningKey {
  readonly key: KeyObject;
  /** RFC 7638 thumbprint, as the server names the key. */
  readonly fingerprint: string;
}

/**
 * Reads an EC P-256 private key from PEM, PKCS#8 or SEC 1.
 * @throws UsageError that never repeats the text
 */
export async function readSigningKey(pem: string): Promise<SigningKey> {
  const key = parse(pem);
  if (key.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new UsageError("The key is no P-256 key; ES256 needs one.");
  }
  const publicKey = createPublicKey(key).export({ format: "jwk" }) as JWK;
  return { key, fingerprint: await calculateJwkThumbprint(publicKey) };
}

/** A client assertion (RFC 7523 §3) for one token request. */
export function signClientAssertion(signer: SigningKey, clientId: string, tokenEndpoint: string): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "ES256", typ: "JWT", kid: signer.fingerprint })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenEndpoint)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME}s`)
    .setJti(randomUUID())
    .sign(signer.key);
}

function parse(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new UsageError("The key file holds no private key in PEM that can be read without a passphrase.");
  }
}

/** What to look at after a refused token request, beginning with a space; empty where the refusal says enough. */
function refusalHint(error: unknown, description: unknown): string {
  const hint = HINTS.find(([code, text]) => code === error && (text === undefined || text === description))?.[2];
  return hint === undefined ? "" : ` ${hint}`;
}

const HINTS: readonly (readonly [error: string, description: string | undefined, hint: string])[] = [
  [
    "invalid_scope",
    undefined,
    "Nothing of what -scope asks for is granted to the client for this -resource: see its scopes with client show. " +
      "Without -resource the token is for the management API, which knows its own permissions only.",
  ],
  [
    "invalid_target",
    undefined,
    "The client may not ask for this -resource: it has to stand in the client's resources, see client show, to the letter.",
  ],
  [
    "invalid_client",
    "invalid JWT signature",
    "The key is none of the client's, or is revoked: see its key pairs with client show.",
  ],
  ["invalid_client", "expired JWT", "The clocks of this machine and of the server differ."],
];
