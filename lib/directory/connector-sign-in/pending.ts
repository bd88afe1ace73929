import type { Dependencies } from "../../dependencies.ts";
import { sha256base64url } from "../../encoding.ts";
import { isSecretText, newSecretText } from "../secret-text.ts";

/** What a person goes to a connector for. */
export type ConnectorIntent =
  | { readonly kind: "sign_in" }
  /** The session, by the hash it is stored by, has to be there still when the person comes back. */
  | { readonly kind: "link"; readonly userId: string; readonly sessionId: string }
  /** The invitation's secret stays with the browser; its hash says which one it is. */
  | { readonly kind: "invitation"; readonly secretHash: string };

/** A person under way at a connector, which brings `state` back. */
export interface PendingConnectorSignIn {
  readonly connector: string;
  readonly nonce: string;
  /** Of our request to the connector (RFC 7636); absent with `disablePKCE`. */
  readonly codeVerifier?: string;
  readonly intent: ConnectorIntent;
  /** A path of the Console. */
  readonly returnTo: string;
}

/** How long the way there and back may take, in milliseconds. */
export const CONNECTOR_SIGN_IN_LIFETIME = 600_000;

/** What the browser keeps in its cookie: its part of the state, and the secret of the invitation that it accepts. */
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

/** Keeps a sign-in for this browser; resolves to its `state`. Browser and state together are the name that it is found by. */
export async function keepPending(
  { stores, random, clock }: Pick<Dependencies, "stores" | "random" | "clock">,
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
  { stores, clock }: Pick<Dependencies, "stores" | "clock">,
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
