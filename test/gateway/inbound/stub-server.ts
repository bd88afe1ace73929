import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { RESOURCE } from "./guarded.ts";

/** An authorization server that is nothing but a `fetch`: for what no real server does on demand. */
export interface StubServer {
  readonly wellKnown: string;
  readonly fetch: typeof globalThis.fetch;
  /** Tokens that it was asked about, in order. */
  readonly introspected: readonly string[];
  sign(claims: JWTPayload): Promise<string>;
}

/** What the server answers about a token; it may throw, or never answer until the signal aborts. */
export type Introspect = (token: string, signal: AbortSignal | null | undefined) => Promise<Response> | Response;

/**
 * @param name its host
 * @param more members of its discovery document
 */
export async function stubServer(
  introspect: Introspect = (token) => Response.json(activeToken({ jti: token })),
  name = "as.example",
  more: Readonly<Record<string, unknown>> = {},
): Promise<StubServer> {
  const issuer = `https://${name}`;
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" }];
  const introspected: string[] = [];
  const documents: Readonly<Record<string, unknown>> = {
    "/.well-known/openid-configuration": {
      issuer,
      jwks_uri: `${issuer}/jwks`,
      introspection_endpoint: `${issuer}/introspection`,
      ...more,
    },
    "/jwks": { keys },
  };
  return {
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    introspected,
    fetch: async (input, init) => {
      const { origin, pathname } = new URL(String(input));
      if (origin !== issuer) throw new TypeError(`${name} was asked for ${origin}`);
      if (pathname in documents) return Response.json(documents[pathname]);
      if (pathname !== "/introspection") return new Response(null, { status: 404 });
      const token = new URLSearchParams(String(init?.body)).get("token") ?? "";
      introspected.push(token);
      return introspect(token, init?.signal);
    },
    sign: (claims) =>
      new SignJWT({ iss: issuer, client_id: "agent", aud: RESOURCE, ...claims })
        .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "one" })
        .sign(privateKey),
  };
}

/** What RFC 7662 says of a good token for us. */
export function activeToken(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { active: true, client_id: "agent", aud: RESOURCE, exp: 4_000_000_000, ...more };
}

/** The answers of several servers, each at its own host. */
export function fetchFrom(servers: readonly StubServer[]): typeof globalThis.fetch {
  return async (input, init) => {
    const { origin } = new URL(String(input));
    const server = servers.find(({ wellKnown }) => wellKnown.startsWith(`${origin}/`));
    if (server === undefined) throw new TypeError(`${origin} is nobody's`);
    return server.fetch(input, init);
  };
}
