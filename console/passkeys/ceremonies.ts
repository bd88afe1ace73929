import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import type { Passkey } from "../../lib/management/schemas/passkeys.ts";
import type { Profile } from "../../lib/management/schemas/profile.ts";
import type { ApiClient } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";

/** Whether this browser knows passkeys at all; they also need HTTPS or localhost. */
export function supportsPasskeys(): boolean {
  return browserSupportsWebAuthn();
}

/** Asks the browser for one of the person's passkeys, and begins a session with it. */
export async function signInWithPasskey(api: ApiClient): Promise<Profile> {
  const options = await api.send<PublicKeyCredentialRequestOptionsJSON>({
    method: "POST",
    path: "/sign-in/passkey/options",
    body: {},
    isPublic: true,
  });
  const body = await asked(() => startAuthentication({ optionsJSON: options.body }));
  return (await api.send<Profile>({ method: "POST", path: "/sign-in/passkey/verify", body, isPublic: true })).body;
}

/** Has the browser make a passkey for this instance, and registers it for the signed-in person. */
export async function addPasskey(api: ApiClient, name?: string): Promise<Passkey> {
  const options = await api.send<PublicKeyCredentialCreationOptionsJSON>({
    method: "POST",
    path: "/passkeys/options",
    body: {},
  });
  const response = await asked(() => startRegistration({ optionsJSON: options.body }));
  const body = { response, ...(name !== undefined && { name }) };
  return (await api.send<Passkey>({ method: "POST", path: "/passkeys", body })).body;
}

/** What the browser refuses, in words for the person. */
async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const { title, detail } = WORDS[error instanceof Error ? error.name : ""] ?? OTHERWISE;
    throw new ApiProblem({ status: 0, code: "passkey", title, detail }, error);
  }
}

const OTHERWISE = {
  title: "The passkey did not work",
  detail: "The browser or the authenticator reported a failure. Try again, or use another way.",
};

/** By the names of the errors of WebAuthn Level 3. */
const WORDS: Readonly<Record<string, { readonly title: string; readonly detail: string }>> = {
  NotAllowedError: {
    title: "No passkey was used",
    detail: "The browser's window was closed, it took too long, or there is no passkey for this instance here.",
  },
  AbortError: { title: "No passkey was used", detail: "The request was cancelled. Try again." },
  InvalidStateError: {
    title: "This device has a passkey already",
    detail: "It is registered for your account. Use another device or security key to add one more.",
  },
  SecurityError: {
    title: "Passkeys do not work at this address",
    detail: "They belong to the address in console.baseURL, over HTTPS or on localhost. Open the Console there.",
  },
  NotSupportedError: {
    title: "This authenticator does not fit",
    detail: "The instance accepts none of its signature types. Use another authenticator.",
  },
};
