import { sha256base64url } from "#sha256";
import type { Configuration, ConfigurationSnapshot } from "../../config/configuration.ts";
import { canonicalJson } from "../../kernel/arguments-digest.ts";
import type { Clock } from "../../kernel/clock.ts";
import { base64url, fromBase64url, utf8 } from "../../kernel/encoding.ts";
import { parseJsonObject } from "../../kernel/json.ts";
import type { Random } from "../../kernel/random.ts";
import { INVALID_PARAMS } from "../../protocol/mcp/json-rpc.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";

/** What a `requestState` that agents get stands for. */
export type RequestState =
  /** The upstream's own. */
  | { readonly kind: "upstream"; readonly state: string }
  /** A call that waits here for the agent's input. */
  | { readonly kind: "waiting"; readonly call: string };

export interface SealingPorts extends StateSecretPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/** Milliseconds: longer than a person may take. */
const LIFETIME = 10 * 60_000;
const NONCE_BYTES = 12;
const PURPOSE = utf8("countersign request state");

/**
 * Seals a state for an agent (D118, checklist 30): AES-256-GCM under a key that HKDF (RFC 5869, SHA-256) derives from the
 * deployment's secret, so that any instance opens it.
 *
 * @param bound what it belongs to, from `boundTo`
 * @returns base64url of a nonce and the ciphertext
 */
export async function sealState(state: RequestState, bound: string, ports: SealingPorts): Promise<string> {
  const { clock, random } = ports;
  const nonce = random.bytes(NONCE_BYTES);
  const text = utf8(JSON.stringify({ ...state, expiresAt: clock.now() + LIFETIME }));
  const key = await stateKey(ports, "encrypt");
  const sealed = new Uint8Array(await crypto.subtle.encrypt(terms(nonce, bound), key, text));
  const bytes = new Uint8Array(NONCE_BYTES + sealed.length);
  bytes.set(nonce);
  bytes.set(sealed, NONCE_BYTES);
  return base64url(bytes);
}

/** @throws InvalidRequestState for what was not sealed for this request, or too long ago */
export async function openState(sealed: unknown, bound: string, ports: SealingPorts): Promise<RequestState> {
  const bytes = typeof sealed === "string" ? fromBase64url(sealed) : undefined;
  if (bytes === undefined || bytes.length <= NONCE_BYTES) throw new InvalidRequestState();
  const key = await stateKey(ports, "decrypt");
  const text = await decrypted(bytes, bound, key);
  const { kind, state, call, expiresAt } = parseJsonObject(text) ?? {};
  if (typeof expiresAt !== "number" || ports.clock.now() >= expiresAt) throw new InvalidRequestState();
  if (kind === "upstream" && typeof state === "string") return { kind, state };
  if (kind === "waiting" && typeof call === "string") return { kind, call };
  throw new InvalidRequestState();
}

async function decrypted(bytes: Uint8Array<ArrayBuffer>, bound: string, key: CryptoKey): Promise<Uint8Array> {
  try {
    const nonce = bytes.slice(0, NONCE_BYTES);
    return new Uint8Array(await crypto.subtle.decrypt(terms(nonce, bound), key, bytes.slice(NONCE_BYTES)));
  } catch (error) {
    // WebCrypto's word for a tag that does not fit.
    if (error instanceof Error && error.name === "OperationError") throw new InvalidRequestState();
    throw error;
  }
}

function terms(iv: Uint8Array<ArrayBuffer>, bound: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: utf8(bound) };
}

async function stateKey(ports: StateSecretPorts, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const stateSecret = stateSecretOf(ports);
  if (stateSecret === undefined) throw new Error("there is no secret to seal request states with");
  const material = await crypto.subtle.importKey("raw", stateSecret, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: PURPOSE };
  return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, [usage]);
}

export interface StateSecretPorts {
  /** What all instances of a deployment share and nobody else knows, 32 bytes or more. Absent: nothing is sealed here. */
  readonly stateSecret?: Uint8Array<ArrayBuffer> | undefined;
  readonly configuration: () => ConfigurationSnapshot;
}

/** The instance's, or that of a gateway which the Console alone has enabled (D130). */
export function stateSecretOf({ stateSecret, configuration }: StateSecretPorts): Uint8Array<ArrayBuffer> | undefined {
  return stateSecret ?? configuredStateSecret(configuration().configuration);
}

/** What every instance of a deployment seals states with: its own secret, or that of client ids; undefined where neither is configured. */
export function configuredStateSecret({
  mcpProvider,
  oidcProvider,
}: Pick<Configuration, "mcpProvider" | "oidcProvider">): Uint8Array<ArrayBuffer> | undefined {
  const configured = mcpProvider?.stateSecret ?? oidcProvider?.apiClients.idSecret;
  return configured === undefined ? undefined : fromBase64url(configured);
}

/** The agent sent a `requestState` that is none for this request: altered, somebody else's, of another call, or too old. */
export class InvalidRequestState extends Error {
  /** The JSON-RPC error for the agent. */
  readonly error: { readonly code: number; readonly message: string; readonly data: { readonly reason: string } };
  /** @param reason `invalid_request_state`, or what is more precise */
  constructor(message = "invalid requestState", reason = "invalid_request_state") {
    super(message);
    this.name = "InvalidRequestState";
    this.error = { code: INVALID_PARAMS, message, data: { reason } };
  }
}

/** Members of `params` that differ between a request and its repetition (MCP 2026-07-28, Multi Round-Trip Requests). */
const OF_ONE_ROUND = ["_meta", "inputResponses", "requestState"];

/** What a state belongs to, as one text: whoever repeats the request is the same, at the same upstream, with the same arguments. */
export function boundTo(
  { method, params }: UpstreamRequest,
  { app, principal }: { readonly app: { readonly name: string; readonly url: string }; readonly principal: string },
): string {
  const asked = Object.fromEntries(Object.entries(params).filter(([name]) => !OF_ONE_ROUND.includes(name)));
  return sha256base64url(canonicalJson([principal, app.name, app.url, method, asked]));
}
