import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { csrf } from "hono/csrf";
import { html, raw } from "hono/html";
import { HTTPException } from "hono/http-exception";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";

/**
 * An OpenID provider for trying out: whoever opens its page chooses which of two people they are, without a password. It listens
 * on this machine only, keeps everything in memory, and sends people nowhere but to the quickstart. Never put it on a network.
 */
const PEOPLE: readonly Person[] = [
  { sub: "ada", name: "Ada Byron", email: "ada@library.example", groups: ["librarians"] },
  { sub: "ben", name: "Ben Turner", email: "ben@library.example", groups: ["readers"] },
];

interface Person {
  readonly sub: string;
  readonly name: string;
  readonly email: string;
  readonly groups: readonly string[];
}

/** The one client of the provider. It has no secret and proves with PKCE that a code is its own (RFC 7636). */
export interface ProviderClient {
  readonly clientID: string;
  /** Where people are sent after signing in; compared character by character. */
  readonly redirectURLs: readonly string[];
  /** Where they are sent after signing out. */
  readonly logoutRedirectURLs: readonly string[];
}

export interface RunningProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

/**
 * Serves the provider on a loopback port; rejects with the cause when the port is taken. Port 0 takes a free one.
 * @param hostname another interface, in a container alone: its port is then published on loopback
 */
export async function startProvider(
  port: number,
  client: ProviderClient,
  hostname = "localhost",
): Promise<RunningProvider> {
  const key = await signingKey();
  return new Promise((resolve, reject) => {
    let app: Hono | undefined;
    const fetch = async (request: Request) => (await app?.fetch(request)) ?? new Response(null, { status: 503 });
    const server = serve({ fetch, port, hostname }, (address) => {
      const issuer = `http://localhost:${address.port}`;
      app = providerApp(issuer, client, key);
      resolve({ issuer, stop: () => new Promise((stopped) => server.close(() => stopped())) });
    });
    server.on("error", reject);
  });
}

/** Seconds. */
const LIFETIMES = { code: 60, access: 300, refresh: 86_400 } as const;

/** What a code or a token stands for. */
interface Grant {
  readonly kind: keyof typeof LIFETIMES;
  readonly person: Person;
  /** What was asked for when the person signed in. */
  readonly request: AuthorizationRequest;
  /** Seconds since the epoch. */
  readonly signedInAt: number;
  readonly expiresAt: number;
}

type SigningKey = Awaited<ReturnType<typeof signingKey>>;

function providerApp(issuer: string, client: ProviderClient, key: SigningKey): Hono {
  const grants = new Map<string, Grant>();
  const app = new Hono();

  // Another site whose name is made to lead to this machine (DNS rebinding) names itself here.
  app.use(async (c, next) => {
    if (new URL(c.req.url).origin !== issuer) return c.text("This is not the host that you asked for.", 421);
    c.header("Cache-Control", "no-store");
    await next();
  });

  app.get("/.well-known/openid-configuration", (c) => c.json(metadata(issuer)));
  app.get("/jwks", (c) => c.json({ keys: [key.publicJwk] }));

  // The form goes to the address of the page, so that the request is checked again and no state is kept.
  app.get("/authorize", async (c) => {
    const request = await readRequest(c, issuer, client);
    return request instanceof Response ? request : c.html(choicePage());
  });
  app.post("/authorize", csrf(), async (c) => {
    const request = await readRequest(c, issuer, client);
    if (request instanceof Response) return request;
    const chosen = (await c.req.parseBody()).person;
    const person = PEOPLE.find(({ sub }) => sub === chosen);
    if (person === undefined) return sendBack(c, request, { error: "access_denied", iss: issuer });
    return sendBack(c, request, { code: issue({ kind: "code", person, request, signedInAt: now() }), iss: issuer });
  });

  app.post("/token", async (c) => {
    const form = once(new URLSearchParams(await c.req.text()));
    if (form.client_id !== client.clientID) return c.json({ error: "invalid_client" }, 401);
    if (form.grant_type === "authorization_code") {
      const grant = take("code", form.code);
      const { redirectURL, challenge, nonce } = grant?.request ?? {};
      const isOwn = redirectURL === form.redirect_uri && challenge === (await hash(form.code_verifier));
      return grant !== undefined && isOwn ? answerTokens(c, grant, nonce) : c.json({ error: "invalid_grant" }, 400);
    }
    if (form.grant_type !== "refresh_token") return c.json({ error: "unsupported_grant_type" }, 400);
    const grant = take("refresh", form.refresh_token);
    return grant === undefined ? c.json({ error: "invalid_grant" }, 400) : answerTokens(c, grant);
  });

  app.on(["GET", "POST"], "/userinfo", (c) => {
    const token = /^Bearer (\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
    const grant = find("access", token);
    if (grant !== undefined) return c.json({ sub: grant.person.sub, ...claimsOf(grant) });
    return c.json({ error: "invalid_token" }, 401, { "WWW-Authenticate": 'Bearer error="invalid_token"' });
  });

  // Nobody stays signed in here: the page asks each time. So there is nothing to end, and people only go back.
  app.get("/sign-out", (c) => {
    const { client_id, post_logout_redirect_uri: url, state } = once(new URL(c.req.url).searchParams);
    if (url === undefined) return c.html(page("You are signed out", html`<p>You can close this page.</p>`));
    if (client_id !== client.clientID || !client.logoutRedirectURLs.includes(url)) {
      return refuse(c, "The address to send you back to is not that of the quickstart.");
    }
    return c.redirect(withParameters(url, { state }));
  });

  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof RepeatedParameter) return refuse(c, error.message);
    throw error;
  });
  return app;

  function issue(grant: Omit<Grant, "expiresAt">): string {
    for (const [text, { expiresAt }] of grants) if (expiresAt <= now()) grants.delete(text);
    const text = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
    grants.set(text, { ...grant, expiresAt: now() + LIFETIMES[grant.kind] });
    return text;
  }

  function find(kind: Grant["kind"], text = ""): Grant | undefined {
    const grant = grants.get(text);
    return grant?.kind === kind && grant.expiresAt > now() ? grant : undefined;
  }

  /** Codes and refresh tokens count once. */
  function take(kind: Grant["kind"], text = ""): Grant | undefined {
    const grant = find(kind, text);
    if (grant !== undefined) grants.delete(text);
    return grant;
  }

  async function answerTokens(c: Context, grant: Grant, nonce?: string): Promise<Response> {
    const { person, request, signedInAt } = grant;
    const idToken = new SignJWT({ ...claimsOf(grant), auth_time: signedInAt, nonce })
      .setProtectedHeader({ alg: "ES256", kid: key.publicJwk.kid, typ: "JWT" })
      .setIssuer(issuer)
      .setAudience(client.clientID)
      .setSubject(person.sub)
      .setIssuedAt()
      .setExpirationTime("5m");
    return c.json({
      token_type: "Bearer",
      access_token: issue({ ...grant, kind: "access" }),
      expires_in: LIFETIMES.access,
      id_token: await idToken.sign(key.privateKey),
      scope: request.scopes.join(" "),
      ...(request.scopes.includes("offline_access") && { refresh_token: issue({ ...grant, kind: "refresh" }) }),
    });
  }
}

function metadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/sign-out`,
    scopes_supported: SCOPES,
    claims_supported: ["sub", "name", "email", "email_verified", "groups", "auth_time"],
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

const SCOPES = ["openid", "profile", "email", "groups", "offline_access"];

/** What the granted scopes tell about a person. */
function claimsOf({ person, request: { scopes } }: Grant) {
  return {
    ...(scopes.includes("profile") && { name: person.name }),
    ...(scopes.includes("email") && { email: person.email, email_verified: true }),
    ...(scopes.includes("groups") && { groups: person.groups }),
  };
}

interface AuthorizationRequest {
  readonly redirectURL: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly nonce: string | undefined;
}

/** The request of the address (OpenID Connect Core 1.0 §3.1.2.1), or the answer to one that does not count. */
async function readRequest(
  c: Context,
  issuer: string,
  client: ProviderClient,
): Promise<AuthorizationRequest | Response> {
  const { client_id, redirect_uri: redirectURL = "", state, nonce, ...asked } = once(new URL(c.req.url).searchParams);
  // Before these two are right, nobody is redirected (RFC 9700 §4.11).
  if (client_id !== client.clientID || !client.redirectURLs.includes(redirectURL)) {
    return refuse(c, "This provider signs people in for the quickstart only.");
  }
  const scopes = (asked.scope ?? "").split(" ").filter((scope) => SCOPES.includes(scope));
  const challenge = asked.code_challenge ?? "";
  const error = faultOf({ ...asked, challenge, isOpenId: scopes.includes("openid") });
  if (error !== undefined) return sendBack(c, { redirectURL, state }, { error, iss: issuer });
  return { redirectURL, state, scopes, challenge, nonce };
}

function faultOf(asked: Readonly<Record<string, string | boolean | undefined>>): string | undefined {
  if (asked.response_type !== "code") return "unsupported_response_type";
  if (!asked.isOpenId) return "invalid_scope";
  if (asked.code_challenge_method !== "S256" || !/^[\w-]{43}$/.test(String(asked.challenge))) return "invalid_request";
  return asked.prompt === "none" ? "login_required" : undefined;
}

function sendBack(
  c: Context,
  { redirectURL, state }: Pick<AuthorizationRequest, "redirectURL" | "state">,
  answer: Readonly<Record<string, string>>,
): Response {
  return c.redirect(withParameters(redirectURL, { ...answer, state }), 303);
}

function withParameters(address: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

class RepeatedParameter extends Error {}

/** Parameters by name; none may stand twice (RFC 6749 §3.1). */
function once(parameters: URLSearchParams): Readonly<Record<string, string | undefined>> {
  const names = [...parameters.keys()];
  if (new Set(names).size < names.length) throw new RepeatedParameter("A parameter of the request stands twice.");
  return Object.fromEntries(parameters);
}

function refuse(c: Context, message: string): Response | Promise<Response> {
  return c.html(page("This does not work", html`<p>${message}</p>`), 400);
}

function choicePage() {
  const buttons = PEOPLE.map(
    ({ sub, name, groups }) =>
      html`<button name="person" value="${sub}">${name}</button><span>one of the ${groups.join(", ")}</span>`,
  );
  const form = html`<form method="post">${buttons}<button name="person" value="">Cancel</button></form>`;
  return page("Who are you?", html`<p>This is the sample provider. It asks for no password.</p>${form}`);
}

const STYLE = raw(`
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 24rem; margin: 15vh auto 0; padding: 0 1rem; }
form { display: grid; grid-template-columns: auto 1fr; gap: .75rem; align-items: center; }
button { font: inherit; padding: .375rem .75rem; }
`);

function page(title: string, body: ReturnType<typeof html>) {
  return html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style><h1>${title}</h1>${body}</html>`;
}

async function signingKey() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const jwk = await exportJWK(publicKey);
  return { privateKey, publicJwk: { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: "ES256", use: "sig" } };
}

/** The challenge that belongs to a verifier (RFC 7636 §4.2). */
async function hash(verifier = ""): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))).toString("base64url");
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
