import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import type { StatusTone } from "../../parts/status-badge.tsx";

type EventType = AuditEvent["type"];
type Outcome = AuditEvent["outcome"];

/** Every type in its group. The compiler refuses this when a type is missing. */
const GROUP_OF: Readonly<Record<EventType, string>> = {
  "tool.invoked": "Gateway",
  "resource.read": "Gateway",
  "prompt.got": "Gateway",
  "method.used": "Gateway",
  "web.requested": "Gateway",
  "session.started": "Gateway",
  "session.terminated": "Gateway",
  "session.expired": "Gateway",
  "token.issued": "Tokens",
  "token.refused": "Tokens",
  "token.revoked": "Tokens",
  "token.exchanged": "Tokens",
  "token.impersonated": "Tokens",
  "consent.given": "Tokens",
  "consent.revoked": "Tokens",
  "api_client.created": "API clients",
  "api_client.updated": "API clients",
  "api_client.deleted": "API clients",
  "key_pair.added": "API clients",
  "key_pair.revoked": "API clients",
  "client.registered": "API clients",
  "connection.requested": "Connections",
  "connection.completed": "Connections",
  "connection.refused": "Connections",
  "connection.refreshed": "Connections",
  "connection.lost": "Connections",
  "connection.revoked": "Connections",
  "approval.requested": "Approvals",
  "approval.approved": "Approvals",
  "approval.refused": "Approvals",
  "approval.expired": "Approvals",
  "approval.consumed": "Approvals",
  "approval.withdrawn": "Approvals",
  "organization.created": "People",
  "organization.updated": "People",
  "organization.deleted": "People",
  "member.added": "People",
  "member.invited": "People",
  "member.role_changed": "People",
  "member.removed": "People",
  "invitation.revoked": "People",
  "passkey.added": "Sign-in",
  "passkey.removed": "Sign-in",
  "identity.linked": "Sign-in",
  "identity.unlinked": "Sign-in",
  "browser_session.ended": "Sign-in",
  "web_session.ended": "Sign-in",
  "sign_in_link.created": "Sign-in",
  "sign_in.succeeded": "Sign-in",
  "sign_in.refused": "Sign-in",
  "settings.changed": "Instance",
  "overrides.changed": "Instance",
  "stop.placed": "Instance",
  "stop.lifted": "Instance",
  "signal.received": "Sign-in",
  "signal.refused": "Sign-in",
  "tool.pinned": "Gateway",
  "tool.held": "Gateway",
  "tool.approved": "Gateway",
  "tool.refused": "Gateway",
  "tool.forgotten": "Gateway",
  "signing_keys.changed": "Instance",
  "config.loaded": "Instance",
  "config.proposed": "Instance",
  "config.proposalWithdrawn": "Instance",
  "config.published": "Instance",
  "config.activated": "Instance",
  "config.refused": "Instance",
  "deployment.probed": "Instance",
};

/** For a select element with groups. */
export const EVENT_TYPE_GROUPS = [...new Set(Object.values(GROUP_OF))].map((group) => ({
  group,
  items: Object.keys(GROUP_OF).filter((type) => GROUP_OF[type as EventType] === group),
}));

interface OutcomeWords {
  readonly label: string;
  readonly tone: StatusTone;
}

const OUTCOME_WORDS: Readonly<Record<Outcome, OutcomeWords>> = {
  success: { label: "Success", tone: "good" },
  tool_error: { label: "Tool error", tone: "warn" },
  denied: { label: "Denied", tone: "bad" },
  refused: { label: "Refused", tone: "bad" },
  upstream_error: { label: "Upstream error", tone: "bad" },
  cancelled: { label: "Cancelled", tone: "neutral" },
  unknown: { label: "Open or lost", tone: "neutral" },
};

export const OUTCOMES = Object.entries(OUTCOME_WORDS).map(([value, { label }]) => ({ value, label }));

export function outcomeWords(outcome: Outcome): OutcomeWords {
  return OUTCOME_WORDS[outcome];
}
