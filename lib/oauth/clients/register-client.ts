import { parsePublicKey } from "../../api-clients/public-key.ts";
import { auditEvent } from "../../audit/event.ts";
import type { Dependencies } from "../../dependencies.ts";
import { newSecretText } from "../../directory/secret-text.ts";
import { sha256base64url } from "../../encoding.ts";
import { uuid } from "../../ids.ts";
import type { JsonObject } from "../../json.ts";
import { ProblemError } from "../../problem.ts";
import { oidcProviderOf } from "../provider.ts";
import { type ClientMetadata, invalidMetadata, keysOf, readClientMetadata } from "./client-metadata.ts";

/**
 * RFC 7591 §3.2.1: all that is registered, and once the secret. `scope` also tells what a client may have that named none
 * which such clients can have; its registration keeps none, so that it goes on following the configuration.
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
 * Registers a client as it describes itself (RFC 7591 §3). What it may have is decided whenever it asks for something.
 *
 * @throws {OAuthError} `invalid_redirect_uri`, `invalid_client_metadata`
 */
export async function registerClient(
  described: JsonObject,
  requestId: string,
  dependencies: Dependencies,
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

/** Keys that would never verify anything are refused now, while somebody reads the answer. */
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
