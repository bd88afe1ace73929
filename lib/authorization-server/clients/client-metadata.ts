import type { JsonObject } from "../../kernel/json.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { redirectFault } from "../../protocol/oauth/redirect-url.ts";
import type { ClientGrantType } from "./client.ts";

/** The metadata of a dynamic client (RFC 7591 §2) that is used here. */
export interface ClientMetadata {
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: SelfRegistrationMethod;
  readonly grant_types: readonly SelfRegistrationGrant[];
  readonly response_types: readonly ["code"];
  readonly client_name?: string;
  readonly client_uri?: string;
  /** The requested scopes that dynamic clients can have; absent: it requested none of these, and may have all. */
  readonly scope?: string;
  readonly software_id?: string;
  readonly software_version?: string;
}

export type SelfRegistrationMethod = "none" | "private_key_jwt" | "client_secret_basic" | "client_secret_post";
export type SelfRegistrationGrant = Extract<ClientGrantType, "authorization_code" | "refresh_token">;

/** The differences between metadata documents and registrations. */
export interface MetadataRules {
  readonly methods: readonly SelfRegistrationMethod[];
  /** The method of a client that names none. */
  readonly defaultMethod: SelfRegistrationMethod;
  /** Scopes that such clients can have. */
  readonly scopes: readonly string[];
}

/**
 * Reads the metadata of a dynamic client. Unknown members, and grants that such clients cannot have, are left out (RFC 7591 §2
 * and §3.2.1).
 *
 * @throws {OAuthError} `invalid_redirect_uri`, `invalid_client_metadata`; the description says which member is wrong
 */
export function readClientMetadata(object: JsonObject, rules: MetadataRules): ClientMetadata {
  const method = methodOf(object.token_endpoint_auth_method, rules);
  responseTypesOf(object.response_types);
  const scope = scopeOf(object.scope, rules.scopes);
  return {
    redirect_uris: redirectsOf(object.redirect_uris, method === "none"),
    token_endpoint_auth_method: method,
    grant_types: grantTypesOf(object.grant_types),
    response_types: ["code"],
    ...optional("client_name", nameOf(object.client_name)),
    ...optional("client_uri", uriOf(object.client_uri)),
    ...optional("scope", scope),
    ...optional("software_id", shortText("software_id", object.software_id)),
    ...optional("software_version", shortText("software_version", object.software_version)),
  };
}

/** A refusal of RFC 7591 §3.2.2. The description never repeats what the client sent. */
export function invalidMetadata(description: string): OAuthError {
  return new OAuthError("invalid_client_metadata", { description });
}

/** The strings of a member that is a short array of them; undefined when it is absent. */
export function textsOf(name: string, value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > MAX_ITEMS || !value.every((item) => typeof item === "string")) {
    throw invalidMetadata(`${name} must be an array of at most ${MAX_ITEMS} strings`);
  }
  return value as readonly string[];
}

/** The members of a key set (RFC 7517 §5). Undefined unless it is one of at least one and at most ten keys. */
export function keysOf(value: unknown): readonly JsonObject[] | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.keys)) return undefined;
  const { keys } = value;
  return keys.length > 0 && keys.length <= MAX_KEYS && keys.every(isJsonObject) ? keys : undefined;
}

function redirectsOf(value: unknown, isPublic: boolean): readonly string[] {
  const redirects = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (redirects.length === 0 || redirects.length > MAX_ITEMS) {
    throw invalidRedirect(`redirect_uris must be an array of 1 to ${MAX_ITEMS} URLs`);
  }
  redirects.forEach((redirect, index) => {
    const fault = typeof redirect === "string" ? redirectFault(redirect, { isPublic }) : "is not a string";
    if (fault !== undefined) throw invalidRedirect(`redirect_uris[${index}] ${fault}`);
  });
  return [...new Set(redirects as readonly string[])];
}

function invalidRedirect(description: string): OAuthError {
  return new OAuthError("invalid_redirect_uri", { description });
}

function methodOf(value: unknown, { methods, defaultMethod }: MetadataRules): SelfRegistrationMethod {
  const method = value === undefined ? defaultMethod : methods.find((candidate) => candidate === value);
  if (method === undefined) {
    throw invalidMetadata(`token_endpoint_auth_method is not supported; accepted: ${methods.join(", ")}`);
  }
  return method;
}

/** A dynamic client gets tokens by the code flow only. Refresh tokens are part of it. */
function grantTypesOf(value: unknown): readonly SelfRegistrationGrant[] {
  const asked = textsOf("grant_types", value) ?? ["authorization_code"];
  if (!asked.includes("authorization_code")) {
    throw invalidMetadata("grant_types lacks authorization_code; accepted: authorization_code, refresh_token");
  }
  return asked.includes("refresh_token") ? ["authorization_code", "refresh_token"] : ["authorization_code"];
}

function responseTypesOf(value: unknown): void {
  if (!(textsOf("response_types", value) ?? ["code"]).includes("code")) {
    throw invalidMetadata("response_types lacks code, the only one supported");
  }
}

/**
 * Agents also name scopes of other servers. These are ignored. A client with only such scopes counts as a client that named
 * none. It is not refused, because people decide what it gets.
 */
function scopeOf(value: unknown, available: readonly string[]): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.length > MAX_SCOPE) {
    throw invalidMetadata(`scope must be a string of at most ${MAX_SCOPE} characters`);
  }
  const asked = new Set(value.split(" "));
  const scopes = available.filter((scope) => asked.has(scope));
  return scopes.length === 0 ? undefined : scopes.join(" ");
}

/** People see the name. It must not hide or reverse the text beside it. */
function nameOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const name = typeof value === "string" ? value.trim() : "";
  const isReadable = !INVISIBLE.test(name) && !PILED_UP.test(name);
  if (name === "" || [...name].length > MAX_NAME || !name.isWellFormed() || !isReadable) {
    throw invalidMetadata(`client_name must have 1 to ${MAX_NAME} visible characters`);
  }
  return name;
}

function uriOf(value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value !== "string" || value.length > MAX_URI || !/^https?:\/\//.test(value) || !URL.canParse(value)) {
    throw invalidMetadata("client_uri must be the URL of a web page");
  }
  return value;
}

function shortText(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || [...value].length > MAX_NAME || !value.isWellFormed() || INVISIBLE.test(value)) {
    throw invalidMetadata(`${name} must be a string of at most ${MAX_NAME} visible characters`);
  }
  return value;
}

function optional<Name extends string>(name: Name, value: string | undefined): { readonly [key in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: string };
}

const MAX_ITEMS = 20;
const MAX_KEYS = 10;
const MAX_SCOPE = 2_000;
const MAX_NAME = 100;
const MAX_URI = 2_048;
/** Control and format characters, those that turn the direction of writing among them, line separators, and letters without a shape. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/u;
/** More combining marks on one letter than any language uses. They would cover the lines above and below. */
const PILED_UP = /\p{M}{5}/u;
