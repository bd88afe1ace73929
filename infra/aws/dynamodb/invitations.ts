import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { InvitationRecord, Invitations } from "../../../lib/stores/invitations.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { endedInvitation, openInvitation, readInvitation } from "./invitation-items.ts";
import { fromItem } from "./items.ts";
import { invitationListPartition } from "./keys.ts";
import { readRange } from "./reads.ts";
import { transact } from "./transact.ts";

/** What one list shows. */
const LIMIT = 200;
const PAGE_SIZE = 100;

/** Invitations in the records table, each found by its secret's hash and through the list of its organization. */
export function dynamoInvitations(database: Database, audit: AuditWriter): Invitations {
  return {
    async createInvitation(invitation, event) {
      const writes = { ...openInvitation(database, invitation), event: await audit.write(event) };
      const failed = await transact(database, writes);
      if (failed.size > 0) throw new Error(`invitation ${invitation.invitationId} exists`);
    },
    listInvitations: (organizationId, now) => listInvitations(database, organizationId, now),
    findInvitation: (secretHash, now) => readInvitation(database, secretHash, now),
    revokeInvitation: (organizationId, invitationId, event) =>
      revokeInvitation(database, audit, organizationId, invitationId, event),
    acceptInvitation: (secretHash, now, invited, event) =>
      acceptInvitation(database, audit, { secretHash, now, invited, event }),
  };
}

/** Newest first. */
async function listInvitations(
  database: Database,
  organizationId: string,
  now: number,
): Promise<readonly InvitationRecord[]> {
  const open: InvitationRecord[] = [];
  for await (const invitation of listed(database, organizationId)) {
    if (invitation.expiresAt > now) open.push(invitation);
    if (open.length === LIMIT) break;
  }
  return open;
}

async function revokeInvitation(
  database: Database,
  audit: AuditWriter,
  organizationId: string,
  invitationId: string,
  event: AuditEvent,
): Promise<boolean> {
  for await (const invitation of listed(database, organizationId)) {
    if (invitation.invitationId !== invitationId) continue;
    if (invitation.expiresAt <= event.time) return false;
    const failed = await transact(database, {
      ...endedInvitation(database, invitation),
      event: await audit.write(event),
    });
    return failed.size === 0;
  }
  return false;
}

async function* listed(database: Database, organizationId: string): AsyncGenerator<InvitationRecord, undefined> {
  const partition = invitationListPartition(organizationId);
  const range = { table: "records", partition, direction: "descending", pageSize: PAGE_SIZE } as const;
  for await (const item of readRange(database, range)) yield fromItem<InvitationRecord>(item);
  return undefined;
}
