import { isJsonObject, type JsonObject } from "../../../lib/json.ts";
import { JWT_BEARER } from "../../../lib/oauth/client-assertion.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { outboundFetch } from "../net/open-fetch.ts";
import { UsageError } from "../usage-error.ts";
import { readSigningKey, signClientAssertion } from "./client-assertion.ts";
import { readKey } from "./read-key.ts";
import { refusalHint } from "./refusal-hint.ts";

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

/** The issuer in the document must be the one asked for (OpenID Connect Discovery §4.3). */
async function discoverTokenEndpoint(issuer: string): Promise<string> {
  const { status, body } = await fetchJson(`${issuer}/.well-known/openid-configuration`);
  if (status !== 200) throw new UsageError(`${issuer} answered discovery with ${status}.`);
  if (typeof body.issuer !== "string") throw new UsageError(`${issuer} does not say which issuer it is.`);
  if (body.issuer.replace(/\/$/, "") !== issuer) {
    throw new UsageError(`${issuer} calls itself ${JSON.stringify(body.issuer.slice(0, 200))}: use that as -issuer.`);
  }
  if (typeof body.token_endpoint !== "string") throw new UsageError(`${issuer} names no token endpoint.`);
  return body.token_endpoint;
}

async function requestToken(tokenEndpoint: string, parameters: URLSearchParams): Promise<string> {
  const { status, body } = await fetchJson(tokenEndpoint, { method: "POST", body: parameters });
  if (status === 200 && typeof body.access_token === "string") return body.access_token;
  const reason = [body.error, body.error_description].filter((part) => typeof part === "string").join(": ");
  const refusal = `The token request was refused with ${status}${reason === "" ? "" : ` (${reason})`}.`;
  throw new UsageError(refusal + refusalHint(body.error, body.error_description));
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
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new UsageError(`${url} gave no usable answer (${cause instanceof Error ? cause.message : String(cause)}).`);
  }
  throw new UsageError(`${url} answered with something else than a JSON object.`);
}
