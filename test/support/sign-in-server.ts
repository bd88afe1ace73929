import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider from "oidc-provider";

/**
 * A real authorization server (oidc-provider) on a loopback port, where anyone can register a client (RFC 7591) and where
 * the one person there is signs in and consents as soon as a page asks them to.
 */
export interface SignInServer {
  readonly issuer: string;
  readonly wellKnown: string;
  /** Every request so far: path, and the parameters of query and form. */
  readonly requests: readonly SignInRequest[];
  stop(): Promise<void>;
}

export interface SignInRequest {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Who signs in; the `sub` of the tokens. */
export const PERSON = "person-1";

/** @param scopes what a resource may be asked for; all of it is granted */
export async function startSignInServer(scopes: readonly string[]): Promise<SignInServer> {
  const requests: SignInRequest[] = [];
  let handle: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    const form: Buffer[] = [];
    request.on("data", (chunk: Buffer) => form.push(chunk));
    request.on("end", () => {
      const parameters = [...searchParams, ...new URLSearchParams(Buffer.concat(form).toString())];
      requests.push({ path: pathname, parameters: Object.fromEntries(parameters) });
    });
    handle?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  handle = handlerOf(new Provider(issuer, configuration(await newKey(), scopes)));
  return {
    issuer,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const INTERACTION = "/sign-in/";

/** The page that asks who is there, and whether the client may; answered at once. */
function handlerOf(provider: Provider) {
  const callback = provider.callback();
  return (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith(INTERACTION) !== true) return callback(request, response);
    const answers = { login: { accountId: PERSON }, consent: {} };
    return provider.interactionFinished(request, response, answers, { mergeWithLastSubmission: false });
  };
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: "sign-in", alg: "ES256", use: "sig" };
}

function configuration(key: JWK, scopes: readonly string[]): Readonly<Record<string, unknown>> {
  const scope = scopes.join(" ");
  return {
    jwks: { keys: [key] },
    scopes: ["openid", "offline_access", ...scopes],
    clientDefaults: { id_token_signed_response_alg: "ES256", authorization_signed_response_alg: "ES256" },
    pkce: { required: () => true },
    cookies: { keys: [crypto.randomUUID()] },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => INTERACTION + uid },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    loadExistingGrant: ({ oidc }: GrantContext) => consent(oidc, scope),
    issueRefreshToken: () => true,
    ttl: { AccessToken: 300, Grant: 3_600, IdToken: 300, Interaction: 300, RefreshToken: 3_600, Session: 3_600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope,
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  };
}

/** The part of oidc-provider's context that says who asks for what. */
interface GrantContext {
  readonly oidc: {
    readonly provider: {
      readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => Grant;
    };
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly params: { readonly resource?: string | readonly string[] };
  };
}

interface Grant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}

async function consent({ provider, client, session, params }: GrantContext["oidc"], scope: string): Promise<Grant> {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(`openid offline_access ${scope}`);
  for (const resource of [params.resource ?? []].flat()) grant.addResourceScope(resource, scope);
  await grant.save();
  return grant;
}
