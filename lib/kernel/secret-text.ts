import { base64url, fromBase64url } from "./encoding.ts";
import type { Random } from "./random.ts";

const BYTES = 32;

/** A secret of 256 random bits as base64url: the value of a session cookie or of a sign-in link. */
export function newSecretText(random: Random): string {
  return base64url(random.bytes(BYTES));
}

/** Whether a text has the form of such a secret. What has not is refused without a read. */
export function isSecretText(text: string): boolean {
  return text.length === 43 && fromBase64url(text)?.length === BYTES;
}
