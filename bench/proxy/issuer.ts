import { createServer, type IncomingMessage } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { AUDIENCES } from "./terms.ts";

/**
 * A process that signs the agents' JWTs and gives out the tokens that the gateway exchanges them for, as quickly as it can.
 * `GET /tokens?audience=…&count=…` is the benchmark's own. Argument: port.
 */
const port = Number(process.argv[2]);
const issuer = `http://localhost:${port}`;
const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "key", alg: "ES256", use: "sig" }] };
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
  token_endpoint_auth_methods_supported: ["client_secret_basic"],
};
let exchanges = 0;

createServer(async (request, response) => {
  const url = new URL(request.url ?? "", issuer);
  const answer = await answerOf(url, request);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}).listen(port, "localhost");

async function answerOf({ pathname, searchParams }: URL, request: IncomingMessage): Promise<unknown> {
  switch (pathname) {
    case "/jwks":
      return jwks;
    case "/tokens":
      return tokens(searchParams.get("audience") ?? "", Number(searchParams.get("count")));
    case "/token":
      return exchanged(await bodyOf(request));
    default:
      return metadata;
  }
}

/** One person's, by one agent: they differ in their ids alone. */
function tokens(audience: string, count: number): Promise<readonly string[]> {
  const claims = { client_id: "agent", scope: "ledger:read ledger:write", roles: ["reader", "clerk"] };
  const sign = (_: unknown, index: number) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "key" })
      .setIssuer(issuer)
      .setSubject("person")
      .setAudience(audience)
      .setJti(`token-${index}`)
      .setIssuedAt()
      .setExpirationTime("2h")
      .sign(privateKey);
  return Promise.all(Array.from({ length: count }, sign));
}

/** A token that does not say how long it is good is not kept. */
function exchanged(form: URLSearchParams): Readonly<Record<string, unknown>> {
  exchanges += 1;
  const isKept = form.get("audience") === AUDIENCES.kept;
  return {
    access_token: `exchanged-${exchanges}`,
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    ...(isKept && { expires_in: 7200 }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
