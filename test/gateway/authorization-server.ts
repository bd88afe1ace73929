import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import Provider from "oidc-provider";

/** A real authorization server (oidc-provider) on a loopback port, and what a test can do to it. */
export interface TestAuthorizationServer {
  readonly issuer: string;
  readonly wellKnown: string;
  /** Paths requested so far, and the bodies of introspection requests. */
  readonly requests: readonly { readonly path: string; readonly token?: string }[];
  /** A client credentials token for the resource, in the format that the resource's server asks for. */
  token(resource: string, format: "jwt" | "opaque"): Promise<string>;
  revoke(token: string): Promise<void>;
  /** A JWT under the server's current key, with whatever header and claims. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>;
  /** A new signing key under a new `kid`; the former one is gone, or still published for tokens that it signed. */
  rotate(former?: "gone" | "published"): Promise<void>;
  /** Answers every request with this status until it is undefined again. */
  failWith(status: number | undefined): void;
  stop(): Promise<void>;
}

/** The client that gets tokens, and also the one that the gateway introspects with. */
export const CLIENT = { id: "agent", secret: "secret: with + and %" } as const;

export async function startAuthorizationServer(): Promise<TestAuthorizationServer> {
  const requests: { path: string; token?: string }[] = [];
  let key = await newKey();
  let formerKeys: readonly JWK[] = [];
  let status: number | undefined;
  let handle: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => {
    requests.push({ path: new URL(request.url ?? "", "http://x").pathname });
    if (status === undefined) handle?.(request, response);
    else response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let format: "jwt" | "opaque" = "jwt";
  const install = () => {
    handle = provider(issuer, [key, ...formerKeys], () => format).callback();
  };
  install();

  const form = async (path: string, parameters: Readonly<Record<string, string>>) => {
    const encode = (text: string) => new URLSearchParams({ _: text }).toString().slice(2);
    const authorization = `Basic ${btoa(`${encode(CLIENT.id)}:${encode(CLIENT.secret)}`)}`;
    return fetch(issuer + path, { method: "POST", headers: { authorization }, body: new URLSearchParams(parameters) });
  };

  return {
    issuer,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    requests,
    async token(resource, wanted) {
      format = wanted;
      const response = await form("/token", { grant_type: "client_credentials", resource, scope: "notes:read" });
      const body = (await response.json()) as { access_token?: string };
      if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
      return body.access_token;
    },
    async revoke(token) {
      const response = await form("/token/revocation", { token });
      if (!response.ok) throw new Error(`revocation answered ${response.status}`);
    },
    async sign(claims, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: issuer, client_id: CLIENT.id, iat: now, exp: now + 300, ...claims };
      const protectedHeader = { alg: "ES256", typ: "at+jwt", kid: key.kid as string, ...header };
      return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(await importJWK(key, "ES256"));
    },
    async rotate(former = "gone") {
      formerKeys = former === "published" ? [key, ...formerKeys] : [];
      key = await newKey();
      install();
    },
    failWith(wanted) {
      status = wanted;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: "ES256", use: "sig" };
}

/** @param keys the first of them signs */
function provider(issuer: string, keys: readonly JWK[], format: () => "jwt" | "opaque"): Provider {
  return new Provider(issuer, {
    jwks: { keys: [...keys] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: "ES256",
        scope: "notes:read",
      },
    ],
    scopes: ["notes:read"],
    clientAuthMethods: ["client_secret_basic"],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: "notes:read",
          audience: resource,
          accessTokenTTL: 300,
          accessTokenFormat: format(),
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
}
