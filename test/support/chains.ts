import { sha256base64url } from "#sha256";
import { mintToken } from "../../lib/authorization-server/tokens/opaque.ts";
import { grantShard, newChainId } from "../../lib/authorization-server/tokens/sharding.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { ulid } from "../../lib/kernel/ids.ts";
import type { GrantRecord } from "../../lib/stores/grants.ts";
import { type Answer, answerOf, basic, type Parameters } from "../behaviour/fixture.ts";
import { type InProcess, type InProcessOptions, startInProcess } from "./in-process.ts";
import { AGENT, CORP, GATEWAY, LEDGER, OAUTH_APPS, REDIRECT, secretOf, TOKEN_EXCHANGE } from "./oauth-apps.ts";

export const PERSON = "user_a-person";
export const VERIFIER = "a-verifier-that-is-at-least-43-characters-long";
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** The product in this process with the apps of `oauth-apps.ts`. */
export function startWithApps(
  configuration: Partial<Configuration> = {},
  options: Omit<InProcessOptions, "configuration"> = {},
): Promise<InProcess> {
  return startInProcess({ ...options, configuration: { connectors: [CORP], apps: OAUTH_APPS, ...configuration } });
}

export interface ChainFields extends Partial<Omit<GrantRecord, "chainId" | "consentId">> {
  readonly nonce?: string;
  readonly namedRedirect?: boolean;
}

/** A code as the authorization endpoint would have given it to a client after a person signed in and consented. */
export async function startChain(
  { dependencies: { stores, clock, random } }: InProcess,
  { nonce, namedRedirect = true, ...fields }: ChainFields = {},
): Promise<{ readonly code: string; readonly grant: GrantRecord }> {
  const now = clock.now();
  const { subject = PERSON, clientId = AGENT.clientID } = fields;
  const shard = grantShard(subject, clientId);
  const record = {
    subject,
    clientId,
    scopes: ["openid", "profile", "email", "tools:read", "tools:write"],
    resources: [GATEWAY, LEDGER],
    claims: {
      auth_time: Math.floor(now / 1000) - 60,
      acr: "urn:example:strong",
      amr: ["pwd", "otp"],
      name: "A Person",
      email: "person@example.com",
      email_verified: true,
      department: "books",
    },
    createdAt: now,
    expiresAt: now + 86_400_000,
    ...fields,
  };
  const { scopes, resources } = record;
  const id = ulid(now, random);
  const consent = { consentId: `consent_${id}`, subject, clientId, scopes, resources, createdAt: now, updatedAt: now };
  const event = { id, time: now, type: "consent.given", outcome: "success" } as const;
  const { consentId } = await stores.grants.giveConsent(consent, event);
  const grant = { ...record, consentId, chainId: newChainId(shard, now, random) };
  const { text, reference } = mintToken("us", shard, random, "code");
  const code = {
    redirectURL: REDIRECT,
    namedRedirect,
    codeChallenge: sha256base64url(VERIFIER),
    ...(nonce !== undefined && { nonce }),
    expiresAt: now + 60_000,
  };
  if (!(await stores.grants.start(grant, code, reference))) throw new Error("the chain was not started");
  return { code: text, grant };
}

/** A form to the token endpoint, from a client that has a secret. */
export function askToken(product: InProcess, clientId: string, form: Parameters): Promise<Answer> {
  return postTo(product, "/oauth2/token", form, basic({ clientId, secret: secretOf(clientId) }));
}

export function postTo(product: InProcess, path: string, form: Parameters, headers: Parameters = {}): Promise<Answer> {
  const body = new URLSearchParams(form).toString();
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  return answerOf(product.send(path, { method: "POST", headers: { ...type, ...headers }, body }));
}

export function codeForm(code: string, more: Parameters = {}): Parameters {
  return { grant_type: "authorization_code", code, code_verifier: VERIFIER, redirect_uri: REDIRECT, ...more };
}

export function refreshForm(refreshToken: string, more: Parameters = {}): Parameters {
  return { grant_type: "refresh_token", refresh_token: refreshToken, ...more };
}

export function exchangeForm(subjectToken: string, more: Parameters = {}): Parameters {
  return {
    grant_type: TOKEN_EXCHANGE,
    subject_token: subjectToken,
    subject_token_type: ACCESS_TOKEN,
    audience: LEDGER,
    ...more,
  };
}

/** The body of an answer that brings tokens. */
export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope?: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly issued_token_type: string;
}

export function tokensOf({ status, body }: Answer): Tokens {
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body as Tokens;
}

/** The tokens of a person's sign-in at the agent. */
export async function signedIn(product: InProcess, fields?: ChainFields): Promise<Tokens> {
  const { code } = await startChain(product, fields);
  return tokensOf(await askToken(product, fields?.clientId ?? AGENT.clientID, codeForm(code)));
}

/** What a client with a secret exchanges a token for. */
export async function exchanged(
  product: InProcess,
  clientId: string,
  subjectToken: string,
  more: Parameters = {},
): Promise<Tokens> {
  return tokensOf(await askToken(product, clientId, exchangeForm(subjectToken, more)));
}
