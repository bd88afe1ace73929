import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** An authorization server that has issued its tokens already: metadata and keys are all that it serves. */
export interface Issuer {
  /** Its `iss`. */
  readonly url: string;
  readonly wellKnown: string;
  /** A JWT for one audience (RFC 9068), good for longer than any run. */
  issue(audience: string, principal?: TokenPrincipal): Promise<string>;
  stop(): Promise<void>;
}

/** Whom a token is of. */
export interface TokenPrincipal {
  readonly user: string;
  readonly client: string;
  readonly scope?: string;
}

const SOMEBODY: TokenPrincipal = { user: "somebody", client: "some-agent" };

export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" };
  const server = createServer((request, response) => {
    const documents: Readonly<Record<string, unknown>> = {
      "/.well-known/openid-configuration": { issuer, jwks_uri: `${issuer}/jwks` },
      "/jwks": { keys: [jwk] },
    };
    const document = documents[request.url ?? ""];
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: issuer,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    issue: (audience, { user, client, scope = "tools" } = SOMEBODY) =>
      new SignJWT({ client_id: client, scope })
        .setProtectedHeader({ alg: "ES256", kid: "1", typ: "at+jwt" })
        .setIssuer(issuer)
        .setSubject(user)
        .setAudience(audience)
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .setExpirationTime("6h")
        .sign(privateKey),
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
