import { grantShard, newChainId } from "../../lib/authorization-server/tokens/sharding.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { ulid, uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type {
  AuthorizationCodeRecord,
  CodeRedemption,
  ConsentRecord,
  GrantRecord,
  InteractionRecord,
  NewRefreshToken,
  Rotation,
} from "../../lib/stores/grants.ts";
import type { RegisteredClientRecord } from "../../lib/stores/registered-clients.ts";
import type { SigningKeyRecord } from "../../lib/stores/signing-keys.ts";
import type { StoredToken, TokenReference } from "../../lib/stores/tokens.ts";
import { auditEvent, MINUTE, newOrganizationId } from "./records.ts";

export const HOUR = 60 * MINUTE;
export const GRACE = 10_000;

export function interaction(fields: Partial<InteractionRecord> = {}): InteractionRecord {
  return {
    interactionHash: hash(),
    revision: 1,
    content: { step: "consent", request: { scope: ["books:read"], state: "ü", prompt: null } },
    expiresAt: Date.now() + 10 * MINUTE,
    ...fields,
  };
}

/** Of a person and a client of their own, unless told otherwise. */
export function consent(fields: Partial<ConsentRecord> = {}): ConsentRecord {
  const now = fields.createdAt ?? Date.now();
  return {
    consentId: `consent_${ulid(now, random)}`,
    subject: `user_${uuid(random)}`,
    clientId: `https://agent.example/${uuid(random)}`,
    scopes: ["books:read"],
    resources: ["https://gateway.example/mcp"],
    createdAt: now,
    updatedAt: now,
    ...fields,
  };
}

/** A chain that rests on the consent, in an organization of its own, so that its records are found by themselves. */
export function grantOn({ consentId, subject, clientId }: ConsentRecord, fields: Partial<GrantRecord> = {}) {
  const createdAt = fields.createdAt ?? Date.now();
  return {
    chainId: newChainId(grantShard(subject, clientId), createdAt, random),
    consentId,
    clientId,
    subject,
    subjectName: "ada@corp.example",
    organizationId: newOrganizationId(),
    scopes: ["books:read", "offline_access"],
    resources: ["https://gateway.example/mcp"],
    claims: { auth_time: Math.floor(createdAt / 1000), amr: ["pwd", "otp"], "https://example.com/roles": [{ id: 1 }] },
    createdAt,
    expiresAt: createdAt + 24 * HOUR,
    ...fields,
  } satisfies GrantRecord;
}

export type OrganizationGrant = ReturnType<typeof grantOn>;

export function authorizationCode(fields: Partial<AuthorizationCodeRecord> = {}): AuthorizationCodeRecord {
  return {
    redirectURL: "http://127.0.0.1:4567/callback",
    namedRedirect: true,
    codeChallenge: hash(),
    nonce: "n-0S6_WzA2Mj",
    expiresAt: Date.now() + MINUTE,
    ...fields,
  };
}

/** A reference in the shard of a chain. */
export function referenceOf({ subject, clientId }: Pick<GrantRecord, "subject" | "clientId">): TokenReference {
  return { shard: grantShard(subject, clientId), hash: hash() };
}

/** An access token of a chain. */
export function accessTokenOf(grant: OrganizationGrant, issuedAt = Date.now()): StoredToken {
  const { chainId, consentId, clientId, organizationId, subject, scopes, resources } = grant;
  return {
    reference: referenceOf(grant),
    token: {
      tokenId: `tok_${ulid(issuedAt, random)}`,
      chainId,
      consentId,
      clientId,
      organizationId,
      subject,
      audience: resources[0] ?? "",
      scopes,
      issuedAt,
      expiresAt: issuedAt + HOUR,
      claims: { auth_time: 1, amr: ["pwd"] },
    },
  };
}

export function refreshTokenOf(grant: OrganizationGrant, now = Date.now()): NewRefreshToken {
  return { reference: referenceOf(grant), record: { scopes: grant.scopes, expiresAt: now + 12 * HOUR } };
}

type Whole<T extends { accessToken?: unknown }, More extends keyof T> = T & Required<Pick<T, "accessToken" | More>>;

/** A redemption that brings an opaque access token and a refresh token. */
export function redemptionOf(
  grant: OrganizationGrant,
  reference: TokenReference,
  now = Date.now(),
): Whole<CodeRedemption, "refreshToken"> {
  return { reference, refreshToken: refreshTokenOf(grant, now), ...issuedOf(grant, now) };
}

export function rotationOf(
  grant: OrganizationGrant,
  reference: TokenReference,
  fields: Partial<Pick<Rotation, "now" | "grace">> = {},
): Whole<Rotation, "successor"> {
  const { now = Date.now(), grace = GRACE } = fields;
  const successor = refreshTokenOf(grant, now);
  return {
    reference,
    successor,
    sealedSuccessor: `sealed ${successor.reference.hash}`,
    grace,
    ...issuedOf(grant, now),
  };
}

export function registeredClient(fields: Partial<RegisteredClientRecord> = {}): RegisteredClientRecord {
  return {
    clientId: `agent_${uuid(random)}`,
    metadata: {
      client_name: "An agent",
      redirect_uris: ["http://127.0.0.1/callback"],
      "client_name#de": "Ein Agent ü",
    },
    secretHash: hash(),
    createdAt: Date.now(),
    ...fields,
  };
}

export function signingKey(fields: Partial<SigningKeyRecord> = {}): SigningKeyRecord {
  const now = Date.now();
  return {
    keyId: hash(),
    algorithm: "ES256",
    publicKey: { kty: "EC", crv: "P-256", x: hash(), y: hash() },
    sealedPrivateKey: `sealed ${hash()}`,
    publishedAt: now,
    signsFrom: now + MINUTE,
    ...fields,
  };
}

export function consentEvent({ subject, clientId }: ConsentRecord, type: "consent.given" | "consent.revoked") {
  return auditEvent({ type, organizationId: newOrganizationId(), user: subject, agent: clientId });
}

function issuedOf(grant: OrganizationGrant, now: number) {
  return { accessToken: accessTokenOf(grant, now), now, ...eventsOf(grant) };
}

function eventsOf({ organizationId, clientId, subject }: OrganizationGrant): {
  readonly event: AuditEvent;
  readonly reuseEvent: AuditEvent;
} {
  const about = { organizationId, agent: clientId, user: subject };
  return {
    event: auditEvent({ type: "token.issued", ...about }),
    reuseEvent: auditEvent({ type: "token.revoked", reason: "reuse", ...about }),
  };
}

function hash(): string {
  return base64url(random.bytes(32));
}
