import { base64url } from "../kernel/encoding.ts";
import type { Random } from "../kernel/random.ts";

/** The Console's document for one answer, with its headers. */
export interface ConsoleDocument {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What stands in the built document where the answer's nonce goes. */
const PLACEHOLDER = "__CSP_NONCE__";

/**
 * The built document with a nonce of its own, 128 bits, which lets style elements in that the Console makes while it runs
 * (CSP 3 §6.7.3.3). Scripts come from files alone.
 */
export function consoleDocument(built: string, random: Random): ConsoleDocument {
  const nonce = base64url(random.bytes(16));
  return {
    html: built.replaceAll(PLACEHOLDER, nonce),
    headers: { ...HEADERS, "Content-Security-Policy": policy(nonce) },
  };
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Passkeys need no permission in a page that is in no frame (Web Authentication 3 §5.9). */
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
} as const;
