import { listOf, NAME, type Shape, TIME } from "./common.ts";

/** WebAuthn Level 3 §5.1.8: what the browser's `parseRequestOptionsFromJSON` takes. */
export const PASSKEY_REQUEST_OPTIONS = {
  title: "PublicKeyCredentialRequestOptionsJSON",
  description: "WebAuthn Level 3, `PublicKeyCredentialRequestOptionsJSON`.",
  type: "object",
  properties: { challenge: { type: "string" } },
  required: ["challenge"],
} as const;

/** WebAuthn Level 3 §5.1.8: what the browser's `parseCreationOptionsFromJSON` takes. */
export const PASSKEY_CREATION_OPTIONS = {
  title: "PublicKeyCredentialCreationOptionsJSON",
  description: "WebAuthn Level 3, `PublicKeyCredentialCreationOptionsJSON`.",
  type: "object",
  properties: { challenge: { type: "string" } },
  required: ["challenge"],
} as const;

const CREDENTIAL = {
  type: "object",
  properties: {
    id: { type: "string" },
    rawId: { type: "string" },
    response: { type: "object" },
    type: { type: "string" },
  },
  required: ["id", "rawId", "response", "type"],
} as const;

/** What the browser's `PublicKeyCredential.toJSON` gives after a passkey was used. */
export const AUTHENTICATION_RESPONSE = {
  ...CREDENTIAL,
  title: "AuthenticationResponseJSON",
  description: "WebAuthn Level 3, `AuthenticationResponseJSON`.",
} as const;

/** The same after a passkey was made. */
export const REGISTRATION_RESPONSE = {
  ...CREDENTIAL,
  title: "RegistrationResponseJSON",
  description: "WebAuthn Level 3, `RegistrationResponseJSON`.",
} as const;

export const NEW_PASSKEY = {
  title: "NewPasskey",
  type: "object",
  properties: {
    name: { ...NAME, maxLength: 100, description: "What the person calls it." },
    response: REGISTRATION_RESPONSE,
  },
  required: ["response"],
  additionalProperties: false,
} as const;

export const PASSKEY = {
  title: "Passkey",
  type: "object",
  properties: {
    passkeyId: { type: "string", description: "The credential id, base64url." },
    name: { type: "string" },
    createdAt: TIME,
    lastUsedAt: TIME,
    isBackedUp: { type: "boolean", description: "It is kept beyond one device." },
  },
  required: ["passkeyId", "name", "createdAt", "isBackedUp"],
  additionalProperties: false,
} as const;

export const PASSKEY_LIST = listOf("PasskeyList", PASSKEY);

export type NewPasskey = Shape<typeof NEW_PASSKEY>;
export type Passkey = Shape<typeof PASSKEY>;
export type PasskeyList = Shape<typeof PASSKEY_LIST>;
