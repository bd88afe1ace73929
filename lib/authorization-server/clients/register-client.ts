import { sha256base64url } from "#sha256";
import { auditEvent } from "../../audit/event.ts";
import type { Clock } from "../../kernel/clock.ts";
import { uuid } from "../../kernel/ids.ts";
import { type JsonObject, jsonExceeds, parseJsonObject } from "../../kernel/json.ts";
import { ProblemError } from "../../kernel/problem.ts";
import { createRateLimit } from "../../kernel/rate-limit.ts";
import { newSecretText } from "../../kernel/secret-text.ts";
import { networkKey, sourceKey } from "../../net/source.ts";
import { essence } from "../../protocol/http/media-type.ts";
import { readBody } from "../../protocol/http/read-body.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { parsePublicKey } from "../../protocol/oauth/public-key.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { type ClientMetadata, invalidMetadata, keysOf, readClientMetadata } from "./client-metadata.ts";

/**
 * Limits how many clients register. Anybody can register one, and a registration is stored for good. Addresses, networks and
 * the instance have a bucket each, so that one address leaves room to its network and one network to all others. Networks
 * that have not registered lately have one more of their own: who floods from many of them does not keep a new one out.
 */
interface RegistrationLimit {
  /** @throws {OAuthError} `temporarily_unavailable`, 429 with `Retry-After` */
  admit(source: string | undefined): void;
}

export function createRegistrationLimit(clock: Clock): RegistrationLimit {
  const sources = createRateLimit(clock, { capacity: 20, perSecond: 1 / SECONDS_FOR_ONE });
  const networks = createRateLimit(clock, { capacity: 50, perSecond: 1 / 10 });
  const firsts = createRateLimit(clock, { capacity: 2, perSecond: 1 / SECONDS_FOR_ONE });
  const all = createRateLimit(clock, { capacity: 200, perSecond: 1 });
  const newcomers = createRateLimit(clock, { capacity: 200, perSecond: 1 });
  return {
    admit: (source) => {
      const network = networkKey(source);
      const isNew = firsts.take(network);
      const hasRoom = sources.take(sourceKey(source)) && networks.take(network);
      if (hasRoom && (all.take("") || (isNew && newcomers.take("")))) return;
      throw new OAuthError("temporarily_unavailable", {
        status: 429,
        description: "too many registrations; a client registers once and keeps its client_id",
        retryAfter: SECONDS_FOR_ONE,
      });
    },
  };
}

const SECONDS_FOR_ONE = 30;

/**
 * The JSON object of a registration request (RFC 7591 §3.1), at most 32 KiB.
 *
 * @throws {OAuthError} `invalid_client_metadata`: 413 when the body is larger, else 400
 */
export async function readRegistration(request: Request): Promise<JsonObject> {
  if (essence(request.headers.get("Content-Type")) !== "application/json") {
    throw invalidMetadata("send the metadata as application/json");
  }
  const bytes = await readBody(request, MAX_BYTES);
  if (bytes === undefined) {
    const description = `the metadata may have at most ${MAX_BYTES} bytes`;
    throw new OAuthError("invalid_client_metadata", { status: 413, description });
  }
  const metadata = parseJsonObject(bytes);
  if (metadata === undefined) throw invalidMetadata("the body is not a JSON object in UTF-8");
  if (jsonExceeds(metadata, { depth: MAX_DEPTH })) throw invalidMetadata("the metadata is nested too deeply");
  return metadata;
}

const MAX_BYTES = 32 * 1024;
const MAX_DEPTH = 10;

/**
 * RFC 7591 §3.2.1: the registered metadata, and the secret, which is sent once. For a client without usable scopes, `scope`
 * lists all scopes that dynamic clients can have. Its registration stores none, so it follows later changes of the configuration.
 */
export interface RegistrationResponse extends ClientMetadata {
  readonly client_id: string;
  /** Seconds since the epoch. */
  readonly client_id_issued_at: number;
  readonly client_secret?: string;
  /** 0: never. */
  readonly client_secret_expires_at?: 0;
  readonly jwks?: { readonly keys: readonly JsonObject[] };
}

/**
 * Registers a client (RFC 7591 §3). Its permissions are decided at each request.
 *
 * @throws {OAuthError} `invalid_redirect_uri`, `invalid_client_metadata`
 */
export async function registerClient(
  described: JsonObject,
  requestId: string,
  dependencies: AuthorizationServerPorts,
): Promise<RegistrationResponse> {
  const { configuration, clock, random, stores } = dependencies;
  const { scopes } = oidcProviderOf(configuration().configuration).registration;
  const metadata = readClientMetadata(described, { methods: METHODS, defaultMethod: "client_secret_basic", scopes });
  const method = metadata.token_endpoint_auth_method;
  const jwks = method === "private_key_jwt" ? { keys: await publicKeysOf(described) } : undefined;
  const secret = method.startsWith("client_secret_") ? newSecretText(random) : undefined;
  const clientId = `agent_${uuid(random)}`;
  const createdAt = clock.now();
  const registered = { ...metadata, ...(jwks !== undefined && { jwks }) };
  const event = auditEvent(dependencies, {
    type: "client.registered",
    outcome: "success",
    actor: clientId,
    agent: clientId,
    requestId,
    details: { clientId, authentication: method },
  });
  await stores.registeredClients.create(
    {
      clientId,
      metadata: registered,
      ...(secret !== undefined && { secretHash: sha256base64url(secret) }),
      createdAt,
    },
    event,
  );
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(createdAt / 1000),
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    ...registered,
    ...(scopes.length > 0 && { scope: registered.scope ?? scopes.join(" ") }),
  };
}

/** Unusable keys are refused at registration, because then somebody reads the answer. */
async function publicKeysOf({ jwks, jwks_uri }: JsonObject): Promise<readonly JsonObject[]> {
  if (jwks === undefined && jwks_uri !== undefined) throw invalidMetadata("jwks_uri is not supported; send jwks");
  const keys = keysOf(jwks);
  if (keys === undefined) throw invalidMetadata("private_key_jwt needs jwks with 1 to 10 keys");
  return Promise.all(keys.map(publicKeyOf));
}

async function publicKeyOf(jwk: JsonObject, index: number): Promise<JsonObject> {
  const { kid } = jwk;
  if (kid !== undefined && (typeof kid !== "string" || kid.length > MAX_KID)) {
    throw invalidMetadata(`jwks.keys[${index}].kid must be a string of at most ${MAX_KID} characters`);
  }
  try {
    return { ...(await parsePublicKey(jwk)), alg: "ES256", use: "sig", ...(kid !== undefined && { kid }) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw invalidMetadata(`jwks.keys[${index}] ${error.fields[0]?.detail ?? "is not acceptable"}`);
  }
}

const METHODS = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const;
const MAX_KID = 200;
