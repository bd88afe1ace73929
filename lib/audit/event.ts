import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { Clock } from "../kernel/clock.ts";
import { ulid } from "../kernel/ids.ts";
import type { Random } from "../kernel/random.ts";
import type { AuditEvent, AuditEventType } from "../stores/audit-log.ts";

/** The ports that make an event. */
export interface AuditEventPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly clock: Clock;
  readonly random: Random;
}

/** An audit event of now, with id, time and region filled in. */
export function auditEvent(ports: AuditEventPorts, fields: Omit<AuditEvent, "id" | "time" | "region">): AuditEvent {
  const time = ports.clock.now();
  const { oidcProvider, published } = ports.configuration().configuration;
  const about = {
    ...(oidcProvider !== undefined && { region: oidcProvider.region }),
    ...(published !== undefined && { configRevision: published.revision }),
  };
  return { id: ulid(time, ports.random), time, ...about, ...fields };
}

/** What somebody is called, beside their id; undefined where that is not known. */
export type Called = readonly [id: string | undefined, name: unknown];

/** The names that a record keeps, so that it tells who it was when they are gone. They choose these texts. */
export function named(...called: readonly Called[]): Pick<AuditEvent, "names"> {
  const names = Object.fromEntries(
    called.flatMap(([id, name]) => (id && name && typeof name === "string" ? [[id, kept(name, LONGEST_NAME)]] : [])),
  );
  return Object.keys(names).length === 0 ? {} : { names };
}

/** What a record says of who changes something, and what that is called. */
export function byAdministrator(
  { id, name, requestId }: { readonly id: string; readonly name?: string; readonly requestId?: string },
  ...about: readonly Called[]
): Pick<AuditEvent, "actor" | "names" | "requestId"> {
  return { actor: id, ...named([id, name], ...about), ...(requestId !== undefined && { requestId }) };
}

/** What a token says that its person is called. */
export function nameIn(claims: { readonly [name: string]: unknown } | undefined): unknown {
  return claims?.email ?? claims?.preferred_username ?? claims?.name;
}

/** Characters of a name. */
export const LONGEST_NAME = 100;

/** The fields of the record of a resource that was read from an app's upstream. */
export function resourceRead(app: string, uri: string): ReadFields {
  return { type: "resource.read", app, tool: app, details: { resource: kept(uri) } };
}

/** The fields of the record of a prompt that was got from an app's upstream. */
export function promptGot(app: string, name: string): ReadFields {
  return { type: "prompt.got", app, tool: app, details: { prompt: kept(name) } };
}

/** The fields of the record of a method of an app's upstream that is not one of MCP's. */
export function methodUsed(app: string, method: string): ReadFields {
  return { type: "method.used", app, tool: app, details: { method: kept(method) } };
}

/** A request for a web app, as its record has it. */
export interface RecordedWebRequest {
  readonly app: string;
  readonly method: string;
  readonly host: string;
  /** Without the query. */
  readonly path: string;
  /** Of the policy, as the configuration has it; absent: none was found. */
  readonly location?: string;
  /** At which the person signed in. */
  readonly connector?: string;
  /** Absent: an ordinary request. */
  readonly kind?: "websocket";
  /** Of the answer, where it is ours; that of the upstream comes with the completion. */
  readonly status?: number;
}

/** The fields of the record of a request for a web app. */
export function webRequested({ app, method, host, path, ...more }: RecordedWebRequest): ReadFields {
  const { location, connector, kind, status } = more;
  const details = {
    ...{ method: method.slice(0, LONGEST_METHOD).toWellFormed(), host: kept(host), path: kept(path) },
    ...(location !== undefined && { location: kept(location) }),
    ...(connector !== undefined && { connector }),
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status: String(status) }),
  };
  return { type: "web.requested", app, tool: app, details };
}

/** Characters: all that are registered are shorter. */
const LONGEST_METHOD = 20;

/** All types. A filter by an unknown type is refused. */
const TYPES: Readonly<Record<AuditEventType, true>> = {
  "tool.invoked": true,
  "resource.read": true,
  "prompt.got": true,
  "method.used": true,
  "web.requested": true,
  "token.issued": true,
  "token.refused": true,
  "token.revoked": true,
  "token.exchanged": true,
  "token.impersonated": true,
  "consent.given": true,
  "consent.revoked": true,
  "client.registered": true,
  "approval.requested": true,
  "approval.approved": true,
  "approval.refused": true,
  "approval.expired": true,
  "approval.consumed": true,
  "approval.withdrawn": true,
  "connection.requested": true,
  "connection.completed": true,
  "connection.refused": true,
  "connection.refreshed": true,
  "connection.lost": true,
  "connection.revoked": true,
  "signing_keys.changed": true,
  "api_client.created": true,
  "api_client.updated": true,
  "api_client.deleted": true,
  "key_pair.added": true,
  "key_pair.revoked": true,
  "organization.created": true,
  "organization.updated": true,
  "organization.deleted": true,
  "member.added": true,
  "member.invited": true,
  "member.role_changed": true,
  "member.removed": true,
  "invitation.revoked": true,
  "passkey.added": true,
  "passkey.removed": true,
  "identity.linked": true,
  "identity.unlinked": true,
  "browser_session.ended": true,
  "web_session.ended": true,
  "settings.changed": true,
  "overrides.changed": true,
  "stop.placed": true,
  "stop.lifted": true,
  "signal.received": true,
  "signal.refused": true,
  "tool.pinned": true,
  "tool.held": true,
  "tool.approved": true,
  "tool.refused": true,
  "tool.forgotten": true,
  "sign_in_link.created": true,
  "sign_in.succeeded": true,
  "sign_in.refused": true,
  "session.started": true,
  "session.terminated": true,
  "session.expired": true,
  "config.loaded": true,
  "config.proposed": true,
  "config.proposalWithdrawn": true,
  "config.published": true,
  "config.activated": true,
  "config.refused": true,
  "deployment.probed": true,
};

export const AUDIT_EVENT_TYPES: readonly string[] = Object.keys(TYPES);
type ReadFields = Pick<AuditEvent, "type" | "app" | "tool" | "details">;

/** The caller may send half of a character, or the cut may leave one. Not every store accepts that. */
export function kept(text: string, length = LENGTH): string {
  return text.slice(0, length).toWellFormed();
}

/** The longest text of the caller in a record, in characters. Stores limit the size of a record. */
const LENGTH = 500;
