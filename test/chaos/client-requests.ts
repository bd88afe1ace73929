import { SignJWT } from "jose";
import { type Answered, exchange, formRequest, type Parameters, resourceServer } from "./exchange.ts";
import type { KnownClient, KnownKey, KnownToken, SignedAssertion, World } from "./world.ts";

/** What is asked for at the token endpoint. */
export interface Wish {
  readonly scopes?: readonly string[];
  readonly resource?: string;
}

/** Seconds that an assertion is good for: longer than a run, so that it can be presented again after restarts. */
const VALIDITY = 1800;

/** An assertion for the token endpoint's URL, every other one with a `kid`; with the `jti` of an earlier one when given. */
export async function sign(world: World, client: KnownClient, key: KnownKey, jti?: string): Promise<SignedAssertion> {
  world.signed += 1;
  const id = jti ?? `jti-${world.signed}`;
  const { clientId } = client;
  const text = await new SignJWT({ iss: clientId, sub: clientId, aud: `${world.url}/oauth2/token`, jti: id })
    .setProtectedHeader({ alg: "ES256", typ: "JWT", ...(world.signed % 2 === 0 && { kid: key.fingerprint }) })
    .setIssuedAt()
    .setExpirationTime(`${VALIDITY} s`)
    .sign(key.privateKey);
  world.secrets.assertion(text);
  return { assertion: { client: clientId, key: key.keyPairId, jti: id }, text };
}

/** At the token endpoint. A token that comes back is known from then on. */
export async function askForToken(world: World, signed: SignedAssertion, wish: Wish = {}): Promise<Answered> {
  const { assertion } = signed;
  const client = world.clients.find(({ clientId }) => clientId === assertion.client);
  if (client === undefined) throw new Error("The assertion is of no known client.");
  const parameters = {
    grant_type: "client_credentials",
    ...assertionParameters(signed),
    ...(wish.scopes !== undefined && { scope: wish.scopes.join(" ") }),
    ...(wish.resource !== undefined && { resource: wish.resource }),
  };
  const request = formRequest(`${world.url}/oauth2/token`, parameters);
  return exchange(world, { kind: "token", assertion, ...wish }, request, ({ text }) => {
    const { access_token, scope } = JSON.parse(text) as { readonly access_token: string; readonly scope?: string };
    const name = `token-${world.tokens.length + 1}`;
    world.secrets.token(access_token);
    world.tokens.push({ name, text: access_token, client });
    return { token: name, scopes: scope?.split(" ") ?? [] };
  });
}

/** By the resource server, or by the token's client with an assertion. */
export function introspect(world: World, { name, text }: KnownToken, signed?: SignedAssertion): Promise<Answered> {
  const url = `${world.url}/oauth2/introspect`;
  const operation = {
    kind: "introspect",
    token: name,
    ...(signed !== undefined && { assertion: signed.assertion }),
  } as const;
  const request =
    signed === undefined
      ? formRequest(url, { token: text }, resourceServer())
      : formRequest(url, { token: text, ...assertionParameters(signed) });
  return exchange(world, operation, request, (answer) => {
    const { active, jti } = JSON.parse(answer.text) as { readonly active: boolean; readonly jti?: string };
    return { active, ...(jti !== undefined && { tokenId: jti }) };
  });
}

/** RFC 7009, by the token's client. */
export function revokeToken(world: World, { name, text }: KnownToken, signed: SignedAssertion): Promise<Answered> {
  const request = formRequest(`${world.url}/oauth2/revoke`, { token: text, ...assertionParameters(signed) });
  return exchange(world, { kind: "revoke_token", token: name, assertion: signed.assertion }, request, () => ({}));
}

function assertionParameters({ text }: SignedAssertion): Parameters {
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: text,
  };
}
