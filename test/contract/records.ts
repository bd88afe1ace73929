import { laneShard } from "../../lib/authorization-server/tokens/sharding.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { ulid, uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import type { ApiClientRecord, KeyPairRecord } from "../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { McpSessionRecord, UpstreamSession } from "../../lib/stores/mcp-sessions.ts";
import type { TokenIssue } from "../../lib/stores/tokens.ts";

export const MINUTE = 60_000;

export function newOrganizationId(): string {
  return `org_${uuid(random)}`;
}

export function keyPair(fields: Partial<KeyPairRecord> = {}): KeyPairRecord {
  const coordinate = (): string => base64url(random.bytes(32));
  return {
    keyPairId: `key_${uuid(random)}`,
    fingerprint: coordinate(),
    publicKey: { kty: "EC", crv: "P-256", x: coordinate(), y: coordinate() },
    status: "active",
    createdAt: Date.now(),
    ...fields,
  };
}

export function apiClient(fields: Partial<ApiClientRecord> = {}): ApiClientRecord {
  const now = Date.now();
  return {
    clientId: `client_${uuid(random)}`,
    organizationId: newOrganizationId(),
    name: "Nightly export",
    scopes: ["audit:read", "books:read"],
    resources: ["https://gateway.example/mcp"],
    createdAt: now,
    updatedAt: now,
    revision: 1,
    grantRevision: 1,
    keyPairs: [keyPair()],
    ...fields,
  };
}

export function auditEvent(fields: Partial<AuditEvent> = {}): AuditEvent {
  const time = fields.time ?? Date.now();
  return { id: ulid(time, random), time, type: "api_client.updated", outcome: "success", actor: "user_1", ...fields };
}

/** An agent's session of an organization of its own. */
export function mcpSession(fields: Partial<McpSessionRecord> = {}): McpSessionRecord {
  const startedAt = fields.startedAt ?? Date.now();
  return {
    sessionHash: base64url(random.bytes(32)),
    transport: "stream",
    principal: `agent-${uuid(random)}`,
    organizationId: newOrganizationId(),
    issuer: "https://us.example",
    agent: "client_agent",
    user: "user_1",
    region: "us",
    protocolVersion: "2025-11-25",
    clientInfo: { name: "An agent", version: "1.2.3" },
    clientCapabilities: { roots: { listChanged: true }, experimental: { "example.com/x": [null, 1.5, "ü", {}] } },
    startedAt,
    lastSeenAt: startedAt,
    timeout: 60 * MINUTE,
    ...fields,
  };
}

/** A session at an upstream that is like no other. */
export function upstreamSession(fields: Partial<UpstreamSession> = {}): UpstreamSession {
  return { key: uuid(random), sessionId: uuid(random), protocolVersion: "2025-06-18", ...fields };
}

/** A record of the session's start or end, as its organization sees it. */
export function mcpSessionEvent(session: McpSessionRecord, type: "session.started" | "session.terminated"): AuditEvent {
  const { sessionHash, organizationId, agent, user, startedAt } = session;
  return auditEvent({
    type,
    time: startedAt,
    ...(organizationId !== undefined && { organizationId }),
    ...(agent !== undefined && { agent }),
    ...(user !== undefined && { user }),
    details: { sessionId: sessionHash },
  });
}

export interface IssueOptions {
  readonly issuedAt?: number;
  readonly lifetime?: number;
  /** Names the assertion; the same id of the same client always meets the same shard. */
  readonly assertionId?: string;
  readonly assertionExpiresAt?: number;
}

/** A request to issue a token to the client for its first key pair. */
export function tokenIssue(client: ApiClientRecord, options: IssueOptions = {}): TokenIssue {
  const { issuedAt = Date.now(), lifetime = 60 * MINUTE, assertionId } = options;
  const tokenId = `tok_${ulid(issuedAt, random)}`;
  const { clientId, organizationId, scopes, grantRevision } = client;
  const keyPairId = client.keyPairs[0]?.keyPairId ?? `key_${uuid(random)}`;
  return {
    reference: {
      shard: laneShard(clientId, assertionId ?? tokenId),
      hash: base64url(random.bytes(32)),
    },
    token: {
      tokenId,
      chainId: `chain_${ulid(issuedAt, random)}`,
      clientId,
      organizationId,
      keyPairId,
      subject: clientId,
      audience: "https://gateway.example/mcp",
      scopes,
      issuedAt,
      expiresAt: issuedAt + lifetime,
    },
    grantRevision,
    ...(assertionId !== undefined && {
      assertionId: {
        hash: `${clientId}#${assertionId}`,
        expiresAt: options.assertionExpiresAt ?? issuedAt + 5 * MINUTE,
      },
    }),
    event: auditEvent({ time: issuedAt, type: "token.issued", organizationId, agent: clientId, details: { tokenId } }),
  };
}
