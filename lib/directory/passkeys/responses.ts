import { fromBase64url } from "../../kernel/encoding.ts";
import type { Fields } from "../../kernel/fields.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../kernel/json.ts";

/** A new passkey as a browser hands it over (WebAuthn Level 3 §5.1.8, `RegistrationResponseJSON`); texts are base64url. */
export interface RegistrationResponse extends CredentialResponse {
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

/** A use of one (`AuthenticationResponseJSON`). */
export interface AuthenticationResponse extends CredentialResponse {
  readonly authenticatorData: string;
  readonly signature: string;
  /** Whom the authenticator keeps the passkey for. */
  readonly userHandle: string;
}

interface CredentialResponse {
  readonly credentialId: string;
  readonly clientDataJSON: string;
  /** What `clientDataJSON` says; nothing of it is checked yet but the form. */
  readonly challenge: string;
  /** It came from a frame on another site's page. */
  readonly isCrossOrigin: boolean;
}

/** Members of either at its top, for `readFields`. */
export const CREDENTIAL_MEMBERS = [
  ...["id", "rawId", "type", "response", "authenticatorAttachment", "clientExtensionResults"],
] as const;

/** Reads one at the place that the pointer names; undefined after refusing it. */
export function registrationResponse(fields: Fields, value: unknown, at: string): RegistrationResponse | undefined {
  const credential = credentialResponse(fields, value, at);
  if (credential === undefined) return undefined;
  const { inner, ...rest } = credential;
  const attestationObject = bytesMember(fields, inner, `${at}/response`, "attestationObject", 32_768);
  if (attestationObject === undefined) return undefined;
  return { ...rest, attestationObject, transports: transportsOf(inner.transports) };
}

/** The same for a use. */
export function authenticationResponse(fields: Fields, value: unknown, at: string): AuthenticationResponse | undefined {
  const credential = credentialResponse(fields, value, at);
  if (credential === undefined) return undefined;
  const { inner, ...rest } = credential;
  const place = `${at}/response`;
  const authenticatorData = bytesMember(fields, inner, place, "authenticatorData", 8_192);
  const signature = bytesMember(fields, inner, place, "signature", 2_048);
  const userHandle = bytesMember(fields, inner, place, "userHandle", 86);
  if (authenticatorData === undefined || signature === undefined || userHandle === undefined) return undefined;
  return { ...rest, authenticatorData, signature, userHandle };
}

function credentialResponse(
  fields: Fields,
  value: unknown,
  at: string,
): (CredentialResponse & { readonly inner: JsonObject }) | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.response)) {
    fields.refuse(isJsonObject(value) ? `${at}/response` : at, "must be a credential as browsers make it");
    return undefined;
  }
  if (value.type !== "public-key") fields.refuse(`${at}/type`, 'must be "public-key"');
  if (value.rawId !== undefined && value.rawId !== value.id) fields.refuse(`${at}/rawId`, "must be equal to id");
  const credentialId = bytesMember(fields, value, at, "id", MAX_ID);
  const clientDataJSON = bytesMember(fields, value.response, `${at}/response`, "clientDataJSON", 8_192);
  if (credentialId === undefined || clientDataJSON === undefined) return undefined;
  const { challenge, crossOrigin } = parseJsonObject(fromBase64url(clientDataJSON) ?? new Uint8Array()) ?? {};
  if (typeof challenge !== "string") {
    fields.refuse(`${at}/response/clientDataJSON`, "must be JSON with a challenge");
    return undefined;
  }
  return { inner: value.response, credentialId, clientDataJSON, challenge, isCrossOrigin: crossOrigin === true };
}

/** Bytes as base64url; undefined after refusing them. */
function bytesMember(fields: Fields, object: JsonObject, at: string, name: string, max: number): string | undefined {
  const value = object[name];
  const isGood = typeof value === "string" && value !== "" && value.length <= max && fromBase64url(value) !== undefined;
  if (isGood) return value;
  const problem = value === undefined || value === null ? "is required" : `must be base64url of 1 to ${max} characters`;
  fields.refuse(`${at}/${name}`, problem);
  return undefined;
}

/** Whether a text can be the id of a credential. What cannot reaches no store, which may have shorter keys. */
export function isCredentialId(text: string): boolean {
  return text !== "" && text.length <= MAX_ID && fromBase64url(text) !== undefined;
}

/** Hints for the browser only: what is no such word is left out. */
function transportsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is string => typeof one === "string" && /^[a-z-]{1,20}$/.test(one)).slice(0, 8);
}

/** Characters of the longest credential id, 1,023 bytes (WebAuthn Level 3 §4). */
const MAX_ID = 1_364;
