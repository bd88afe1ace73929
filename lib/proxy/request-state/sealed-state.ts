import { base64url, fromBase64url, utf8 } from "../../encoding.ts";
import { parseJsonObject } from "../../json.ts";
import type { ProxyState } from "../upstream.ts";
import { InvalidRequestState } from "./invalid-state.ts";
import { stateSecretOf } from "./state-secret.ts";

/** What a `requestState` that agents get stands for. */
export type RequestState =
  /** The upstream's own. */
  | { readonly kind: "upstream"; readonly state: string }
  /** A call that waits here for the agent's input. */
  | { readonly kind: "waiting"; readonly call: string };

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
export async function sealState(state: RequestState, bound: string, { dependencies }: ProxyState): Promise<string> {
  const { clock, random } = dependencies;
  const nonce = random.bytes(NONCE_BYTES);
  const text = utf8(JSON.stringify({ ...state, expiresAt: clock.now() + LIFETIME }));
  const key = await stateKey(dependencies, "encrypt");
  const sealed = new Uint8Array(await crypto.subtle.encrypt(terms(nonce, bound), key, text));
  const bytes = new Uint8Array(NONCE_BYTES + sealed.length);
  bytes.set(nonce);
  bytes.set(sealed, NONCE_BYTES);
  return base64url(bytes);
}

/** @throws InvalidRequestState for what was not sealed for this request, or too long ago */
export async function openState(sealed: unknown, bound: string, { dependencies }: ProxyState): Promise<RequestState> {
  const bytes = typeof sealed === "string" ? fromBase64url(sealed) : undefined;
  if (bytes === undefined || bytes.length <= NONCE_BYTES) throw new InvalidRequestState();
  const key = await stateKey(dependencies, "decrypt");
  const text = await decrypted(bytes, bound, key);
  const { kind, state, call, expiresAt } = parseJsonObject(text) ?? {};
  if (typeof expiresAt !== "number" || dependencies.clock.now() >= expiresAt) throw new InvalidRequestState();
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

async function stateKey(dependencies: ProxyState["dependencies"], usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const stateSecret = stateSecretOf(dependencies);
  if (stateSecret === undefined) throw new Error("there is no secret to seal request states with");
  const material = await crypto.subtle.importKey("raw", stateSecret, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: PURPOSE };
  return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, [usage]);
}
