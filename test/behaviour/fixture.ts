import { importPKCS8, SignJWT } from "jose";
import { base64url, utf8 } from "../../lib/kernel/encoding.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningRegion, type RunningRegions, type RuntimeUnderTest, SETUP_TOKEN } from "../support/runtime.ts";
import { behaviourConfiguration } from "./configuration.ts";

/** Nothing answers here; suites that call tools bring their own upstream. */
export const NO_UPSTREAM = "http://127.0.0.1:9";

/** Both regions with the configuration of the behaviour suites. */
export function startRegions(
  runtime: RuntimeUnderTest,
  upstreamURL: string = NO_UPSTREAM,
  configuration: string = behaviourConfiguration,
): Promise<RunningRegions> {
  return runtime.start({ configuration, variables: { UPSTREAM_URL: upstreamURL } });
}

/** The region `us` with the same configuration, for suites that have nothing to do with the other. */
export function startAlone(runtime: RuntimeUnderTest): Promise<RunningRegions> {
  const variables = { UPSTREAM_URL: NO_UPSTREAM };
  return runtime.start({ configuration: behaviourConfiguration, variables, alone: true });
}

/** Waits until the region has found whom it relies on; what did not answer at its start it looks for again a little later. */
export async function untilReady({ url }: Pick<RunningRegion, "url">): Promise<void> {
  const statusNow = async () => {
    const response = await fetch(`${url}/status`);
    await response.body?.cancel();
    return response.status;
  };
  await eventually(statusNow, (status) => status === 200);
}

/** A signed-in owner of the first organization of a region. */
export interface Owner {
  readonly region: RunningRegion;
  /** `name=value` of the session cookie. */
  readonly cookie: string;
}

/** Uses the setup token: once per started region. */
export async function setUpOwner(region: RunningRegion): Promise<Owner> {
  const response = await fetch(`${region.url}/api/v1/setup`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: SETUP_TOKEN, organization: "Example", email: "owner@example.com" }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
  if (response.status !== 201 || cookie === undefined) {
    throw new Error(`setup answered ${response.status}: ${await response.text()}`);
  }
  await response.body?.cancel();
  return { region, cookie };
}

/** Somebody who was invited and has accepted, signed in by that. */
export async function joined(
  owner: Owner,
  invitation: { readonly email: string; readonly role: string },
): Promise<Owner> {
  const { link } = await expectJson<{ link: string }>(await manage(owner, "POST", "/invitations", invitation), 201);
  const response = await fetch(`${owner.region.url}/api/v1/invitations/accept`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: link.split("#token=")[1] }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
  if (cookie === undefined) throw new Error(`accepting answered ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
  return { region: owner.region, cookie };
}

/** A call of the management API by the owner; a `body` goes as JSON. */
export function manage(owner: Owner, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${owner.region.url}/api/v1${path}`, {
    method,
    headers: { Cookie: owner.cookie, ...(body !== undefined && { "Content-Type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export interface ClientFields {
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly resources?: readonly string[];
}

/** The key of an API client as its owner received it. */
export interface Key {
  readonly keyPairId: string;
  readonly fingerprint: string;
  readonly pem: string;
  readonly privateKey: CryptoKey;
}

/** Whose assertions a test signs. */
export interface Signer {
  readonly clientId: string;
  readonly key: Key;
}

export async function createClient(owner: Owner, fields: ClientFields = {}): Promise<string> {
  const response = await manage(owner, "POST", "/api-clients", { name: "a client", ...fields });
  return expectJson<{ clientId: string }>(response, 201).then(({ clientId }) => clientId);
}

/** A key pair that the server generates. */
export async function addKey(owner: Owner, clientId: string): Promise<Key> {
  const response = await manage(owner, "POST", `/api-clients/${clientId}/key-pairs`);
  const { keyPairId, fingerprint, privateKey } = await expectJson<{
    keyPairId: string;
    fingerprint: string;
    privateKey: string;
  }>(response, 201);
  return {
    keyPairId,
    fingerprint,
    pem: privateKey,
    privateKey: await importPKCS8(privateKey, "ES256", { extractable: true }),
  };
}

/** A new client with one key. */
export async function createSigner(owner: Owner, fields: ClientFields = {}): Promise<Signer> {
  const clientId = await createClient(owner, fields);
  return { clientId, key: await addKey(owner, clientId) };
}

export function tokenEndpointOf(region: Pick<RunningRegion, "url">): string {
  return `${region.url}/oauth2/token`;
}

/** Seconds since the epoch. */
export function secondsFromNow(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

/** Claims and header members that replace the usual ones; `undefined` removes one. */
export interface AssertionOverrides {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** A correct client assertion with a fresh `jti`, except for what the overrides say. */
export async function signAssertion(
  signer: Signer,
  region: Pick<RunningRegion, "url">,
  { claims = {}, header = {} }: AssertionOverrides = {},
): Promise<string> {
  const payload = {
    iss: signer.clientId,
    sub: signer.clientId,
    aud: tokenEndpointOf(region),
    iat: secondsFromNow(0),
    exp: secondsFromNow(120),
    jti: crypto.randomUUID(),
    ...claims,
  };
  if (Object.keys(header).length > 0) {
    return signSegments({ alg: "ES256", typ: "JWT", ...header }, payload, signer.key.privateKey);
  }
  return new SignJWT(payload).setProtectedHeader({ alg: "ES256", typ: "JWT" }).sign(signer.key.privateKey);
}

/** An ES256 JWS over any header and payload, also over such that no library would sign. */
export async function signSegments(header: unknown, payload: unknown, privateKey: CryptoKey): Promise<string> {
  const input = `${encodeJson(header)}.${encodeJson(payload)}`;
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, utf8(input));
  return `${input}.${base64url(new Uint8Array(signature))}`;
}

export function encodeJson(value: unknown): string {
  return base64url(utf8(JSON.stringify(value)));
}

export type Parameters = Readonly<Record<string, string>>;

/** The three parameters of the specification's token request. */
export function tokenParameters(assertion: string, more: Parameters = {}): Parameters {
  return {
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
    ...more,
  };
}

/** Only the authentication, for introspection and revocation. */
export function assertionParameters(assertion: string): Parameters {
  const { grant_type: _, ...parameters } = tokenParameters(assertion);
  return parameters;
}

export function postForm(url: string, form: Parameters | string, headers: Parameters = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    body: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
}

/** A token request with a fresh, correct assertion except for the overrides. */
export async function requestToken(
  region: Pick<RunningRegion, "url">,
  signer: Signer,
  { parameters = {}, ...overrides }: AssertionOverrides & { readonly parameters?: Parameters } = {},
): Promise<Response> {
  const assertion = await signAssertion(signer, region, overrides);
  return postForm(tokenEndpointOf(region), tokenParameters(assertion, parameters));
}

/** The access token of a request that succeeds. */
export async function issueToken(
  region: Pick<RunningRegion, "url">,
  signer: Signer,
  parameters: Parameters = {},
): Promise<string> {
  const response = await requestToken(region, signer, { parameters });
  return expectJson<{ access_token: string }>(response, 200).then(({ access_token }) => access_token);
}

/** Status, body and the headers that tests of refusals look at. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export async function answerOf(response: Response | Promise<Response>): Promise<Answer> {
  const { status, headers, ...rest } = await received(await response);
  return { status, headers, body: rest.text === "" ? undefined : JSON.parse(rest.text) };
}

/** The JSON body of an answer that must have this status. */
export async function expectJson<T>(response: Response, status: number): Promise<T> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`answered ${response.status} instead of ${status}: ${text}`);
  return JSON.parse(text) as T;
}

/** `Authorization: Basic` of a confidential client (RFC 6749 §2.3.1: both parts form-encoded first). */
export function basic({ clientId, secret }: { readonly clientId: string; readonly secret: string }): Parameters {
  const encode = (text: string) => new URLSearchParams({ _: text }).toString().slice(2);
  return { Authorization: `Basic ${btoa(`${encode(clientId)}:${encode(secret)}`)}` };
}

async function received(response: Response): Promise<{ status: number; headers: Headers; text: string }> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}
