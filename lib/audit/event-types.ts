import type { AuditEventType } from "../stores/audit-log.ts";

/** Every type, so that whoever filters by one that does not exist is told. */
const TYPES: Readonly<Record<AuditEventType, true>> = {
  "tool.invoked": true,
  "resource.read": true,
  "prompt.got": true,
  "token.issued": true,
  "token.refused": true,
  "token.revoked": true,
  "token.exchanged": true,
  "token.impersonated": true,
  "consent.given": true,
  "consent.revoked": true,
  "client.registered": true,
  "signing_keys.changed": true,
  "api_client.created": true,
  "api_client.updated": true,
  "api_client.deleted": true,
  "key_pair.added": true,
  "key_pair.revoked": true,
  "organization.created": true,
  "member.added": true,
  "sign_in_link.created": true,
  "sign_in.succeeded": true,
  "sign_in.refused": true,
  "session.started": true,
  "session.terminated": true,
  "session.expired": true,
  "config.loaded": true,
};

export const AUDIT_EVENT_TYPES: readonly string[] = Object.keys(TYPES);
