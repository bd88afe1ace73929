import type { Dependencies } from "../../dependencies.ts";
import { sha256base64url } from "../../encoding.ts";
import { isSecretText, newSecretText } from "../secret-text.ts";

/** What a challenge is good for: signing somebody in, or a new passkey of this person in this session. */
export type Ceremony =
  | { readonly kind: "sign_in" }
  | { readonly kind: "registration"; readonly userId: string; readonly sessionId: string };

/** How long a challenge can be answered, in milliseconds. */
export const CHALLENGE_LIFETIME = 300_000;

export interface NewChallenge {
  /** 256 random bits, base64url. */
  readonly challenge: string;
  /** The browser's part, for its cookie. */
  readonly binding: string;
}

/**
 * A challenge that one answer from this browser in this ceremony uses up (WebAuthn Level 3 §13.4.3). All of it is in the
 * name that the store finds it by: an answer from elsewhere, or to something else, finds nothing (D134).
 *
 * @param known the cookie's value, if the browser sent one: other tabs keep theirs
 */
export async function newChallenge(
  { stores, random, clock }: Pick<Dependencies, "stores" | "random" | "clock">,
  ceremony: Ceremony,
  known: string | undefined,
): Promise<NewChallenge> {
  const challenge = newSecretText(random);
  const binding = known !== undefined && isSecretText(known) ? known : newSecretText(random);
  await stores.grants.begin({
    interactionHash: nameOf(challenge, ceremony, binding),
    revision: 1,
    content: {},
    expiresAt: clock.now() + CHALLENGE_LIFETIME,
  });
  return { challenge, binding };
}

/** Uses a challenge up: true for exactly one answer, in time and from where it was asked for. */
export async function takeChallenge(
  { stores, clock }: Pick<Dependencies, "stores" | "clock">,
  challenge: string,
  ceremony: Ceremony,
  binding: string | undefined,
): Promise<boolean> {
  if (binding === undefined || !isSecretText(challenge)) return false;
  return stores.grants.finish(nameOf(challenge, ceremony, binding), 1, clock.now());
}

/** No secret of the authorization server's interactions has this form. */
function nameOf(challenge: string, ceremony: Ceremony, binding: string): string {
  const purpose = ceremony.kind === "sign_in" ? ["sign_in"] : ["registration", ceremony.userId, ceremony.sessionId];
  return sha256base64url(JSON.stringify(["passkey", purpose, challenge, binding]));
}
