import { EXPIRY_MARGIN } from "./expiry-margin.ts";

/**
 * Whether a code is known at `now`, redeemable or used. A used one is longer than it could be redeemed, so that whoever
 * presents it later ends the chain (RFC 6749 §4.1.2): for the margin that every store keeps it beyond its expiry anyhow.
 */
export function isKnownCode({ expiresAt }: { readonly expiresAt: number }, isUsed: boolean, now: number): boolean {
  return now < (isUsed ? expiresAt + EXPIRY_MARGIN : expiresAt);
}
