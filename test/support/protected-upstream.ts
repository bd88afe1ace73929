import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";

/** What an access token has to be for a resource server (RFC 9068 §4). */
export interface Expectations {
  readonly keys: JWTVerifyGetKey;
  readonly issuer: string;
  readonly audience: string;
}

/** An API of notes that is a resource server: it takes access tokens of one issuer, and verifies them with `jose`. */
export interface ProtectedUpstream {
  readonly url: string;
  /** Claims of the tokens that were good, oldest first. */
  readonly accepted: readonly JWTPayload[];
  /** Headers of every request so far. */
  readonly requests: readonly IncomingHttpHeaders[];
  /** Known once the issuer is. */
  expect(expectations: Expectations): void;
  /** The next requests are answered with 401, however good their tokens. */
  refuse(count: number): void;
  stop(): Promise<void>;
}

export async function startProtectedUpstream(): Promise<ProtectedUpstream> {
  const accepted: JWTPayload[] = [];
  const requests: IncomingHttpHeaders[] = [];
  let expectations: Expectations | undefined;
  let toRefuse = 0;

  async function verified(authorization = ""): Promise<JWTPayload | undefined> {
    if (expectations === undefined || toRefuse-- > 0) return undefined;
    const { keys, issuer, audience } = expectations;
    const token = /^Bearer ([^ ,]+)$/.exec(authorization)?.[1] ?? "";
    const options = { issuer, audience, typ: "at+jwt", requiredClaims: ["exp", "client_id", "jti"] };
    return jwtVerify(token, keys, options).then(
      ({ payload }) => payload,
      () => undefined,
    );
  }

  const server = createServer(async (request, response) => {
    requests.push(request.headers);
    const claims = await verified(request.headers.authorization);
    if (claims === undefined) {
      response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end("who are you?");
      return;
    }
    accepted.push(claims);
    const note = { noteId: "1", title: `of ${claims.sub}` };
    const body = request.url === "/tags" ? [] : request.url?.startsWith("/notes/") ? note : { items: [note] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    requests,
    expect: (wanted) => {
      expectations = wanted;
    },
    refuse: (count) => {
      toRefuse = count;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
