import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider, { type CheckContext, interactionPolicy } from "oidc-provider";

/** A company's identity provider: a real one (oidc-provider) with a page to sign in at. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly wellKnown: string;
  /** What this instance is there. */
  readonly client: { readonly id: string; readonly secret: string };
  /** Registers the client with the addresses that people are sent back to. */
  register(redirects: readonly string[], afterSignOut?: readonly string[], metadata?: ClientMetadata): Promise<void>;
  /** What it signs ID tokens with (ES256). */
  readonly key: JWK;
  /** Paths that were asked for, without queries. */
  readonly requests: readonly string[];
  /** Tells this of somebody from here on, beside the rest. */
  tell(login: string, claims: Readonly<Record<string, unknown>>): void;
  /** Ends all that anybody allowed there so far: no refresh token is good any more. */
  endGrants(): Promise<void>;
  /** Answers 503 to everything from here on, or no more. */
  breakDown(isDown: boolean): void;
  stop(): Promise<void>;
}

/** Further members of the registration (RFC 7591 §2); a client called `without PKCE` need not use it. */
type ClientMetadata = Readonly<Record<string, unknown>>;

/** What the provider tells about everybody there. */
export function claimsOf(login: string): Readonly<Record<string, unknown>> {
  return {
    sub: login,
    name: `${login.slice(0, 1).toUpperCase()}${login.slice(1)} Example`,
    email: `${login}@corp.example`,
    email_verified: true,
    department: "accounting",
  };
}

/** The strength of sign-in that the provider knows; whoever is called `weak` has none. */
export const STRONG = "urn:corp:strong";

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const requests: string[] = [];
  let isDown = false;
  let handle: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined;
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? "", "http://x").pathname);
    if (isDown) response.writeHead(503).end();
    else handle?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { id: "countersign", secret: "the secret of the instance at its provider" };
  const key = await newKey();
  const told = new Map<string, Readonly<Record<string, unknown>>>();
  const provider = new Provider(issuer, configuration(key, client, told));
  const grants = new Set<string>();
  provider.on("grant.saved", ({ jti }) => void grants.add(jti));
  handle = withLoginPage(provider);
  return {
    issuer,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    client,
    key,
    register: (redirects, afterSignOut = [], metadata = {}) =>
      register(issuer, { redirect_uris: redirects, post_logout_redirect_uris: afterSignOut, ...metadata }),
    requests,
    tell: (login, claims) => void told.set(login, claims),
    endGrants: async () => {
      for (const grant of grants) await (await provider.Grant.find(grant))?.destroy();
    },
    breakDown: (isBroken) => {
      isDown = isBroken;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function register(issuer: string, metadata: ClientMetadata): Promise<void> {
  const response = await fetch(`${issuer}/reg`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(metadata),
  });
  if (response.status !== 201) throw new Error(`registration answered ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

const INTERACTION = "/sign-in/";

/** The page that asks who is there. Consent is the provider's own affair, and given. */
function withLoginPage(provider: Provider) {
  const callback = provider.callback();
  return async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith(INTERACTION) !== true) return callback(request, response);
    const details = await provider.interactionDetails(request, response).catch(() => undefined);
    // A person who goes back to a page of a sign-in that has ended.
    if (details === undefined) return response.writeHead(400).end("This sign-in at Corp is over.");
    const { params } = details;
    if (request.method === "GET") return showLogin(response, request.url, params.login_hint);
    const form = new URLSearchParams(await text(request));
    const login = form.get("login") ?? "";
    const isStrong = login !== "weak" && params.acr_values?.split(" ").includes(STRONG) === true;
    const result =
      form.get("action") === "cancel"
        ? { error: "access_denied", error_description: "the person went away" }
        : { login: { accountId: login, amr: ["pwd"], ...(isStrong && { acr: STRONG }) }, consent: {} };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
}

function showLogin(response: ServerResponse, action: string, hint: string | undefined): void {
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(`<!doctype html>
<html lang="en"><title>Corp</title>
<h1>Sign in at Corp</h1>
<form method="post" action="${action}">
<label>Name <input name="login" value="${hint?.replaceAll(/\W/g, "") ?? ""}"></label>
<button name="action" value="login">Sign in</button>
<button name="action" value="cancel">Cancel</button>
</form></html>`);
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: "corp", alg: "ES256", use: "sig" };
}

function configuration(
  key: JWK,
  client: IdentityProvider["client"],
  told: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): Readonly<Record<string, unknown>> {
  return {
    jwks: { keys: [key] },
    scopes: ["openid", "profile", "email", "offline_access", "corp"],
    claims: {
      openid: ["sub", "acr", "amr", "auth_time"],
      profile: ["name"],
      email: ["email", "email_verified"],
      corp: ["department"],
    },
    acrValues: [STRONG],
    clientDefaults: { id_token_signed_response_alg: "ES256", require_auth_time: true },
    cookies: { keys: [crypto.randomUUID()] },
    interactions: {
      url: (_: unknown, { uid }: { readonly uid: string }) => INTERACTION + uid,
      policy: askingForStrength(),
    },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ ...claimsOf(accountId), ...told.get(accountId) }),
    }),
    // It gives them to clients that are registered for them, and takes each once.
    issueRefreshToken: (_: unknown, client: GrantingClient) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    loadExistingGrant: consent,
    pkce: { required: (_: unknown, { clientName }: { readonly clientName?: string }) => clientName !== "without PKCE" },
    ttl: { AccessToken: 300, Grant: 3_600, IdToken: 300, Interaction: 300, RefreshToken: 3_600, Session: 3_600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true, idFactory: () => client.id, secretFactory: () => client.secret },
    },
  };
}

interface GrantingClient {
  grantTypeAllowed(type: string): boolean;
}

/** Whoever is not signed in as strongly as asked for is asked again, once. */
function askingForStrength() {
  const policy = interactionPolicy.base();
  const isTooWeak = ({ oidc: { params, session, result } }: CheckContext) =>
    params.acr_values !== undefined && result?.login === undefined && session.acr !== STRONG;
  policy.get("login").checks.add(new interactionPolicy.Check("acr", "a stronger sign-in is asked for", isTooWeak));
  return policy;
}

/** The part of oidc-provider's context that says who asks for what. */
interface GrantContext {
  readonly oidc: {
    readonly provider: {
      readonly Grant: new (of: {
        readonly clientId: string;
        readonly accountId: string;
      }) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

async function consent({ oidc: { provider, client, session } }: GrantContext): Promise<unknown> {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope("openid profile email offline_access corp");
  await grant.save();
  return grant;
}
