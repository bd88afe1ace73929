import { importJWK, type JWK, SignJWT } from "jose";

/** Types of events (CAEP 1.0, RISC 1.0, OpenID Shared Signals Framework 1.0). */
export const EVENTS = {
  sessionRevoked: "https://schemas.openid.net/secevent/caep/event-type/session-revoked",
  credentialChange: "https://schemas.openid.net/secevent/caep/event-type/credential-change",
  assuranceChange: "https://schemas.openid.net/secevent/caep/event-type/assurance-level-change",
  accountDisabled: "https://schemas.openid.net/secevent/risc/event-type/account-disabled",
  accountEnabled: "https://schemas.openid.net/secevent/risc/event-type/account-enabled",
  accountPurged: "https://schemas.openid.net/secevent/risc/event-type/account-purged",
  verification: "https://schemas.openid.net/secevent/ssf/event-type/verification",
} as const;

/** What signs events, and for whom. */
export interface Transmitter {
  readonly issuer: string;
  readonly audience: string;
  /** A private key. */
  readonly key: JWK;
}

export interface EventFields {
  readonly type: string;
  /** Beside the subject. */
  readonly content?: Readonly<Record<string, unknown>>;
  readonly subject?: unknown;
  /** In the place of the usual ones; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Seconds since the epoch. */
  readonly at?: number;
}

/** A security event token (RFC 8417) with a fresh `jti`. */
export async function signedEvent({ issuer, audience, key }: Transmitter, fields: EventFields): Promise<string> {
  const { type, content = {}, subject, claims = {}, header = {}, at = Math.floor(Date.now() / 1_000) } = fields;
  return new SignJWT({
    ...{ iss: issuer, aud: audience, iat: at, jti: crypto.randomUUID() },
    ...(subject !== undefined && { sub_id: subject }),
    events: { [type]: content },
    ...claims,
  })
    .setProtectedHeader({
      alg: "ES256",
      typ: "secevent+jwt",
      ...(key.kid !== undefined && { kid: key.kid }),
      ...header,
    })
    .sign(await importJWK(key, "ES256"));
}

/** How a transmitter posts it (RFC 8935 §2). */
export function eventRequest(token: string, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/secevent+jwt", ...headers }, body: token };
}
