import { base64, fromBase64, utf8 } from "../../kernel/encoding.ts";

/** A message as Standard Webhooks 1.0.0 has it. */
export interface WebhookMessage {
  /** The same whenever it is sent again, so that a receiver takes it once. */
  readonly id: string;
  /** JSON: `type`, `timestamp` and `data`. */
  readonly body: string;
}

const PREFIX = "whsec_";
const SECRET_BYTES = { least: 24, most: 64 };

/** The bytes of a secret, `whsec_` and base64 of 24 to 64 bytes; undefined: it is none. */
export function webhookSecret(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : "";
  if (!/^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(digits)) return undefined;
  const bytes = fromBase64(digits);
  return bytes.length >= SECRET_BYTES.least && bytes.length <= SECRET_BYTES.most ? bytes : undefined;
}

/**
 * The headers that sign a message (Standard Webhooks, "Signature scheme"): one signature a secret, so that receivers know either while a
 * secret is replaced.
 *
 * @param now of this attempt, milliseconds: receivers refuse what is older than some minutes
 */
export async function signatureHeaders(
  { id, body }: WebhookMessage,
  secrets: readonly Uint8Array<ArrayBuffer>[],
  now: number,
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(now / 1_000));
  const signed = utf8(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map(async (secret) => `v1,${await hmac(secret, signed)}`));
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

async function hmac(secret: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return base64(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)));
}
