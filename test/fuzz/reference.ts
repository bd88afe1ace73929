import { RESOURCE_SERVER } from "../behaviour/configuration.ts";
import {
  type Expectation,
  INVALID_REQUEST,
  INVALID_SCOPE,
  INVALID_TARGET,
  invalidClient,
  NAMELESS_SECRET,
  ONE_AUDIENCE,
  refused,
  SEVERAL_METHODS,
  TOO_LARGE,
  UNAUTHENTICATED,
  UNAUTHORIZED_APP,
  UNSUPPORTED_GRANT,
} from "./expectation.ts";
import { type AssertionJudgement, judgeAssertion } from "./reference-assertion.ts";
import { referenceForm } from "./reference-form.ts";
import { REST_API, SCOPES, type World } from "./world.ts";

export type EndpointName = "token" | "introspect" | "revoke";

/** A POST request as an endpoint sees it. */
export interface EndpointRequest {
  readonly endpoint: EndpointName;
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Buffer;
}

type Form = ReadonlyMap<string, string>;

const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const LIMIT = 64 * 1024;

/** How the product has to answer, by what the decisions say (D5 to D10, D36) and not by its code. */
export function expectedAnswer(request: EndpointRequest, world: World): Expectation {
  const { contentType = "", body, endpoint } = request;
  if (!isFormType(contentType)) return refused(INVALID_REQUEST);
  if (body.length > LIMIT) return refused(TOO_LARGE);
  const form = referenceForm(body);
  // Which of several mistakes in a body is found first is up to the server.
  if (form === undefined) return refused(INVALID_REQUEST, ...ONE_AUDIENCE);
  return endpoint === "token" ? tokenAnswer(form, request, world) : callerAnswer(form, request, world);
}

/** RFC 9110 §5.6.6: parameters may be empty. */
function isFormType(contentType: string): boolean {
  const [type, ...parameters] = contentType
    .split(";")
    .map((part) => part.replace(/^[ \t]+|[ \t]+$/g, "").toLowerCase());
  const isAccepted = (parameter: string) => ["", "charset=utf-8", 'charset="utf-8"'].includes(parameter);
  return type === "application/x-www-form-urlencoded" && parameters.every(isAccepted);
}

function tokenAnswer(form: Form, { authorization }: EndpointRequest, world: World): Expectation {
  const grant = form.get("grant_type") ?? "";
  if (!/^([\w.-]+|[A-Za-z][\w+.-]*:[\x21\x23-\x7e]+)$/.test(grant)) return refused(INVALID_REQUEST);
  if (grant !== "client_credentials") return refused(UNSUPPORTED_GRANT);
  if (methods(form, authorization) > 1) return refused(SEVERAL_METHODS);
  if (authorization !== undefined) return refused(...basicRefusals(form, authorization));
  if (form.has("client_secret")) return refused(INVALID_REQUEST);
  const assertion = form.get("client_assertion");
  if (assertion === undefined || form.get("client_assertion_type") !== JWT_BEARER) return refused(INVALID_REQUEST);
  const judgement = judgeAssertion(assertion, form.get("client_id"), world);
  if (judgement.client === undefined) return refused(...judgement.refusals);
  if (judgement.isCertain && judgement.refusals.length > 0) return refused(...judgement.refusals);
  return withAssertion(judgement, world, tokenRefusals(form, world));
}

/** Refusals for scope and resource; the assertion's own come first, which of these two does not matter. */
function tokenRefusals(form: Form, { issuer }: World): readonly string[] {
  const resource = form.get("resource");
  const isManagement = resource === undefined || resource === `${issuer}/api/v1`;
  const refusals = isManagement || resource === REST_API ? [] : [INVALID_TARGET];
  const scope = form.get("scope");
  if (scope === undefined) return refusals;
  const granted = SCOPES.filter((name) => (name === "books:read") !== isManagement);
  const isWellFormed = /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(scope);
  const isGranted = isWellFormed && scope.split(" ").some((name) => granted.includes(name));
  return isGranted ? refusals : [...refusals, INVALID_SCOPE];
}

/** No app has the grant, whatever it shows (D146); a client_id beside Basic may be refused before the secret is looked at. */
function basicRefusals(form: Form, authorization: string): readonly string[] {
  const caller = basicSecret(form, authorization);
  if (caller === "right") return [UNAUTHORIZED_APP];
  return form.has("client_id") ? [caller, INVALID_REQUEST] : [caller];
}

function callerAnswer(form: Form, request: EndpointRequest, world: World): Expectation {
  const { authorization, endpoint } = request;
  const used = methods(form, authorization);
  const token = form.get("token");
  const missing = token === undefined ? [INVALID_REQUEST] : [];
  if (used > 1) return refused(SEVERAL_METHODS, ...missing);
  if (used === 0) return refused(UNAUTHENTICATED, ...missing);
  if (form.has("client_assertion") || form.has("client_assertion_type")) {
    const assertion = form.get("client_assertion");
    if (assertion === undefined || form.get("client_assertion_type") !== JWT_BEARER) return refused(INVALID_REQUEST);
    const judgement = judgeAssertion(assertion, form.get("client_id"), world);
    const isActive = isActiveFor(token, judgement.client?.clientId, world);
    return { ...withAssertion(judgement, world, missing), isActive, ...(token !== undefined && { token }) };
  }
  const caller = authorization === undefined ? postedSecret(form) : basicSecret(form, authorization);
  if (caller !== "right") return refused(caller, ...missing);
  const isActive = endpoint === "introspect" && isActiveFor(token, undefined, world);
  return missing.length > 0 ? refused(...missing) : { isValid: true, refusals: new Set(), isActive };
}

function withAssertion(judgement: AssertionJudgement, world: World, later: readonly string[]): Expectation {
  if (judgement.client === undefined) return refused(...judgement.refusals, ...later);
  const { client, usedId, refusals, isCertain } = judgement;
  if (isCertain && refusals.length > 0) return refused(...refusals, ...later);
  // What comes after the claims: either kind of refusal is right when both apply.
  const isReplayed = usedId !== undefined && world.usedIds.has(usedId);
  const after = isReplayed ? [...later, invalidClient("replayed JWT")] : later;
  const isValid = after.length === 0;
  const ids = { clientId: client.clientId, ...(usedId !== undefined && { usedId }) };
  return { isValid, refusals: new Set([...refusals, ...after]), ...ids };
}

/** @param clientId of an API client, which sees its own tokens; undefined: the resource server, which sees all */
function isActiveFor(token: string | undefined, clientId: string | undefined, { tokens }: World) {
  const known = tokens.get(token ?? "");
  if (known === undefined || (clientId ?? known.clientId) !== known.clientId) return false;
  return known.isRevoked === "perhaps" ? "perhaps" : !known.isRevoked;
}

function methods(form: Form, authorization: string | undefined): number {
  const byAssertion = form.has("client_assertion") || form.has("client_assertion_type");
  return [byAssertion, authorization !== undefined, form.has("client_secret")].filter(Boolean).length;
}

function postedSecret(form: Form): string {
  const clientId = form.get("client_id");
  if (clientId === undefined) return NAMELESS_SECRET;
  return clientId === RESOURCE_SERVER.clientId && form.get("client_secret") === RESOURCE_SERVER.secret
    ? "right"
    : UNAUTHENTICATED;
}

function basicSecret(form: Form, authorization: string): string {
  const encode = (text: string) => new URLSearchParams({ _: text }).toString().slice(2);
  const { clientId, secret } = RESOURCE_SERVER;
  const right = Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString("base64");
  if (!/^basic +/i.test(authorization) || authorization.replace(/^basic +/i, "") !== right) return UNAUTHENTICATED;
  return (form.get("client_id") ?? clientId) === clientId ? "right" : INVALID_REQUEST;
}
