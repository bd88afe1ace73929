import { sha256base64url } from "#sha256";
import type { Configuration } from "../../config/configuration.ts";
import { ProblemError } from "../../kernel/problem.ts";
import { isSecretText, newSecretText } from "../../kernel/secret-text.ts";
import type { DirectoryPorts } from "../ports.ts";

/** The purpose of a challenge: a sign-in, or a new passkey of this person in this session. */
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
 * A challenge for one answer from this browser in this ceremony (WebAuthn Level 3 §13.4.3). The key in the store is made of all
 * of these: an answer from another browser, or for another ceremony, finds nothing (D134).
 *
 * @param known the cookie's value, if the browser sent one: other tabs keep theirs
 */
export async function newChallenge(
  { stores, random, clock }: Pick<DirectoryPorts, "stores" | "random" | "clock">,
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

/** Uses up a challenge: true for exactly one answer, in time and from the same browser and ceremony. */
export async function takeChallenge(
  { stores, clock }: Pick<DirectoryPorts, "stores" | "clock">,
  challenge: string,
  ceremony: Ceremony,
  binding: string | undefined,
): Promise<boolean> {
  if (binding === undefined || !isSecretText(challenge)) return false;
  return stores.grants.finish(nameOf(challenge, ceremony, binding), 1, clock.now());
}

/** Whom passkeys are made for (WebAuthn Level 3 §4, relying party). */
export interface RelyingParty {
  /** The host of `console.baseURL`: passkeys stay with it. */
  readonly id: string;
  /** The only origin whose pages may use them. */
  readonly origin: string;
}

/** What authenticators show people. */
export const RELYING_PARTY_NAME = "Countersign";

/**
 * Absent where people do not sign in with passkeys: they are turned off, or browsers make none there, because the host is an
 * address or pages come without TLS (WebAuthn Level 3 §5.1.3: a valid domain in a secure context).
 */
export function relyingPartyOf({ console }: Pick<Configuration, "console">): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(console.baseURL);
  const isSecure = protocol === "https:" || /^(.+\.)?localhost$/.test(hostname);
  return console.passkeys && isSecure && !isAddress(hostname) ? { id: hostname, origin } : undefined;
}

/** @throws ProblemError `not_found` where there are no passkeys */
export function requireRelyingParty(configuration: Pick<Configuration, "console">): RelyingParty {
  const party = relyingPartyOf(configuration);
  if (party !== undefined) return party;
  throw new ProblemError(
    "not_found",
    "There are no passkeys here: they are turned off, or the Console's address has no host name that browsers make them for.",
  );
}

/** No secret of the authorization server's interactions has this form. */
function nameOf(challenge: string, ceremony: Ceremony, binding: string): string {
  const purpose = ceremony.kind === "sign_in" ? ["sign_in"] : ["registration", ceremony.userId, ceremony.sessionId];
  return sha256base64url(JSON.stringify(["passkey", purpose, challenge, binding]));
}

/** URLs write every IPv4 address with dots and every IPv6 address in brackets. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
}
