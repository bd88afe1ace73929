import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import Provider, { errors } from "oidc-provider";

/** One exchange as the server was asked for it, after it had authenticated the client. */
export type Asked = Readonly<Record<string, unknown>>;

/**
 * A foreign authorization server: `oidc-provider` with a token exchange grant beside its own, for tokens of one other
 * issuer. It knows none of our extensions.
 */
export interface ExchangeServer {
  readonly issuer: string;
  readonly wellKnown: string;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
  readonly asked: readonly Asked[];
  /** Answers of the token endpoint, from now on. */
  answer(respond: ((response: ServerResponse) => void) | undefined): void;
  /** The next grants fail so (RFC 6749 §5.2). */
  refuseWith(error: string | undefined): void;
  /** Requests to the token endpoint. */
  readonly posts: number;
  stop(): Promise<void>;
}

/** The gateway as this server's client. */
export const CLIENT = { id: "the-gateway", secret: "secret: with + and %" } as const;
const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const PARAMETERS = ["subject_token", "subject_token_type", "requested_token_type", "audience", "scope"];

interface GrantContext {
  readonly oidc: { readonly params: Readonly<Record<string, string>>; readonly client: { readonly clientId: string } };
  body: unknown;
}

/** @param trusted what subject tokens are verified with */
export async function startExchangeServer(trusted: Parameters<typeof jwtVerify>[1]): Promise<ExchangeServer> {
  const asked: Asked[] = [];
  let respond: ((response: ServerResponse) => void) | undefined;
  let refusal: string | undefined;
  let posts = 0;
  let handle: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => {
    if (request.url !== "/token") return handle?.(request, response);
    posts += 1;
    return respond === undefined ? handle?.(request, response) : respond(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kid: "1", alg: "ES256", use: "sig" };
  const { d: _, ...published } = key;

  const exchange = async (context: GrantContext): Promise<void> => {
    const { params, client } = context.oidc;
    asked.push(Object.fromEntries(PARAMETERS.map((name) => [name, params[name]])));
    if (refusal !== undefined) throw new errors.CustomOIDCProviderError(refusal, "for a reason of its own");
    const { subject_token: subject = "", audience, scope } = params;
    const { payload } = await jwtVerify(subject, trusted);
    const now = Math.floor(Date.now() / 1_000);
    const act = { sub: payload.client_id };
    const claims = { iss: issuer, sub: payload.sub, aud: audience, scope, act, client_id: client.clientId, jti: "1" };
    const token = new SignJWT({ ...claims, iat: now, exp: now + 60 }).setProtectedHeader({
      alg: "ES256",
      typ: "at+jwt",
      kid: "1",
    });
    context.body = {
      access_token: await token.sign(await importJWK(key, "ES256")),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: 60,
    };
  };
  const provider = new Provider(issuer, {
    jwks: { keys: [key] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: [GRANT],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: "ES256",
      },
    ],
    clientAuthMethods: ["client_secret_basic"],
    features: { devInteractions: { enabled: false }, clientCredentials: { enabled: true } },
  });
  provider.registerGrantType(GRANT, exchange, PARAMETERS);
  handle = provider.callback();
  return {
    issuer,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    keys: createLocalJWKSet({ keys: [published] }),
    asked,
    answer: (wanted) => {
      respond = wanted;
    },
    refuseWith: (error) => {
      refusal = error;
    },
    get posts() {
      return posts;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
