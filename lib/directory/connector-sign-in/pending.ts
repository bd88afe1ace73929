import { sha256base64url } from "#sha256";
import { isSecretText, newSecretText } from "../../kernel/secret-text.ts";
import type { DirectoryPorts } from "../ports.ts";

/** The purpose of a sign-in at a connector. */
export type ConnectorIntent =
  | { readonly kind: "sign_in" }
  /** The session must still exist when the person comes back. `sessionId` is the hash under which it is stored. */
  | { readonly kind: "link"; readonly userId: string; readonly sessionId: string }
  /** The invitation's secret stays with the browser; its hash says which one it is. */
  | { readonly kind: "invitation"; readonly secretHash: string };

/** Why a sign-in at a connector failed, for the page of the Console to which the person returns. */
export type ConnectorProblem =
  /** Nobody linked the account. */
  | "unknown_account"
  /** It is linked with somebody else. */
  | "already_linked"
  /** The connector, or the person there, said no. */
  | "denied"
  /** The answer of the connector could not be verified. */
  | "failed"
  /** It took too long, was answered before, began in another browser, or its session is over. */
  | "expired"
  | "invitation_gone";
/** The invitation is for an address that a person has. */

/** A sign-in at a connector that has begun. The connector returns its `state`. */
export interface PendingConnectorSignIn {
  readonly connector: string;
  readonly nonce: string;
  /** Of our request to the connector (RFC 7636); absent with `disablePKCE`. */
  readonly codeVerifier?: string;
  readonly intent: ConnectorIntent;
  /** A path of the Console. */
  readonly returnTo: string;
}

/** How long a sign-in may take, in milliseconds. */
export const CONNECTOR_SIGN_IN_LIFETIME = 600_000;

/** The content of the browser's cookie: its part of the state, and the secret of the invitation that it accepts. */
export interface BrowserPart {
  readonly binding: string;
  readonly invitation?: string;
}

/** Reads the cookie's value; undefined when it is not ours. */
export function parseBrowserPart(value: string | undefined): BrowserPart | undefined {
  const [binding = "", invitation, ...rest] = value?.split(".") ?? [];
  if (!isSecretText(binding) || rest.length > 0) return undefined;
  if (invitation === undefined) return { binding };
  return isSecretText(invitation) ? { binding, invitation } : undefined;
}

export function browserPartText({ binding, invitation }: BrowserPart): string {
  return invitation === undefined ? binding : `${binding}.${invitation}`;
}

/** Stores a sign-in for this browser and resolves to its `state`. The key in the store is made of state and browser. */
export async function savePending(
  { stores, random, clock }: Pick<DirectoryPorts, "stores" | "random" | "clock">,
  pending: PendingConnectorSignIn,
  { binding }: BrowserPart,
): Promise<string> {
  const state = newSecretText(random);
  await stores.grants.begin({
    interactionHash: nameOf(state, binding),
    revision: 1,
    content: { ...pending, intent: { ...pending.intent } },
    expiresAt: clock.now() + CONNECTOR_SIGN_IN_LIFETIME,
  });
  return state;
}

/** The sign-in of a `state`, for exactly one answer in the browser that began it; undefined for every other. */
export async function takePending(
  { stores, clock }: Pick<DirectoryPorts, "stores" | "clock">,
  state: string | undefined,
  browser: BrowserPart | undefined,
): Promise<PendingConnectorSignIn | undefined> {
  if (state === undefined || browser === undefined || !isSecretText(state)) return undefined;
  const name = nameOf(state, browser.binding);
  const now = clock.now();
  const record = await stores.grants.interaction(name, now);
  if (record === undefined || !(await stores.grants.finish(name, record.revision, now))) return undefined;
  return record.content as unknown as PendingConnectorSignIn;
}

/** No secret of the authorization server's interactions has this form. */
function nameOf(state: string, binding: string): string {
  return sha256base64url(JSON.stringify(["console connector", state, binding]));
}
