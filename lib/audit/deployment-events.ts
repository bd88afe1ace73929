import type { AuditEvent } from "../stores/audit-log.ts";
import { type AuditEventPorts, auditEvent, kept } from "./event.ts";

/** What a record says of a publication. */
export interface RecordedPublication {
  readonly revision: number;
  readonly digest: string;
  readonly publishedBy: string;
  readonly reason?: string | undefined;
  readonly rollbackOf?: number | undefined;
}

/** The record of a configuration that is in use for the first time. */
export function activated(ports: AuditEventPorts, publication: RecordedPublication): AuditEvent {
  return auditEvent(ports, { type: "config.activated", outcome: "success", details: detailsOf(publication) });
}

/** The record of a configuration that is not taken over. */
export function refused(
  ports: AuditEventPorts,
  reason: string,
  publication: RecordedPublication | undefined,
): AuditEvent {
  const about = publication === undefined ? {} : detailsOf(publication);
  return auditEvent(ports, {
    type: "config.refused",
    outcome: "refused",
    details: { ...about, refusal: reason.slice(0, LONGEST_REASON) },
  });
}

const LONGEST_REASON = 500;

function detailsOf({ revision, digest, publishedBy, reason, rollbackOf }: RecordedPublication) {
  return {
    ...{ deploymentRevision: String(revision), digest, publishedBy },
    ...(reason !== undefined && { reason }),
    ...(rollbackOf !== undefined && { rollbackOf: String(rollbackOf) }),
  };
}

/**
 * The record of a configuration that was published.
 * @param proposedBy the id of who has proposed it; absent: nobody had to approve it
 */
export function published(
  ports: AuditEventPorts,
  publication: RecordedPublication,
  by: Pick<AuditEvent, "actor" | "organizationId">,
  proposedBy?: string,
): AuditEvent {
  const details = { ...detailsOf(publication), ...(proposedBy !== undefined && { proposedBy }) };
  return auditEvent(ports, { type: "config.published", outcome: "success", ...by, details });
}

/** The record of a configuration that waits for a second person, or that does not any more. */
export function proposal(
  ports: AuditEventPorts,
  type: "config.proposed" | "config.proposalWithdrawn",
  { publishedBy: proposedBy, ...publication }: RecordedPublication,
  by: Pick<AuditEvent, "actor" | "organizationId">,
): AuditEvent {
  const { publishedBy: _, ...details } = detailsOf({ ...publication, publishedBy: proposedBy });
  return auditEvent(ports, { type, outcome: "success", ...by, details: { ...details, proposedBy } });
}

/** The record of an address that is asked on behalf of somebody who writes a configuration: it is begun before anything is sent. */
/** Where redirects have led, for the record of who had an address asked. */
export function redirectedTo({ protocol, host, pathname }: URL): Readonly<Record<string, string>> {
  return { redirectedTo: kept(`${protocol}//${host}${pathname}`) };
}

export function probed(
  ports: AuditEventPorts,
  { protocol, host, pathname }: URL,
  kind: "document" | "mcp",
  by: Pick<AuditEvent, "actor" | "organizationId" | "requestId">,
): AuditEvent {
  const details = { kind, origin: kept(`${protocol}//${host}`), path: kept(pathname) };
  return auditEvent(ports, { type: "deployment.probed", outcome: "unknown", ...by, details });
}
