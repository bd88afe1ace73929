import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { PersonRecord } from "../../../lib/stores/directory.ts";
import type { Acceptance, InvitationRecord, Invitations, Invited } from "../../../lib/stores/invitations.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { invitationKey, invitationListKey, invitationListPartition } from "./keys.ts";
import { newMembership } from "./member-items.ts";
import { ownerCount, readCountedOrganization, unlessClosed } from "./organization-items.ts";
import { newPerson, oneMembershipMore, readPerson } from "./person-items.ts";
import { readRange, readRecord } from "./reads.ts";
import { putNew, transact } from "./writes.ts";

/** What one list shows. */
const LIMIT = 200;
const PAGE_SIZE = 100;

/** Invitations in the records table, each found by its secret's hash and through the list of its organization. */
export function dynamoInvitations(database: Database, audit: AuditWriter): Invitations {
  return {
    async createInvitation(invitation, event) {
      const failed = await transact(database, {
        ...openInvitation(database, invitation),
        organization: unlessClosed(database, invitation.organizationId),
        event: await audit.write(event),
      });
      if (failed.has("organization")) return false;
      if (failed.size > 0) throw new Error(`invitation ${invitation.invitationId} exists`);
      return true;
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

interface AcceptanceRequest {
  readonly secretHash: string;
  readonly now: number;
  readonly invited: Invited;
  readonly event: AuditEvent;
}

/**
 * Decided by the invitation's item, which is deleted for exactly one caller; a record never changes, so what was read of
 * it holds.
 *
 * @throws Error when it is to be accepted by a person who does not exist
 */
export async function acceptInvitation(
  database: Database,
  audit: AuditWriter,
  { secretHash, now, invited, event }: AcceptanceRequest,
): Promise<Acceptance> {
  const invitation = await readInvitation(database, secretHash, now);
  if (invitation === undefined) return "gone";
  const { organizationId, role } = invitation;
  const { userId, email } = await personOf(database, invited);
  const into = role === "owner" ? await readCountedOrganization(database, organizationId) : undefined;
  if (into?.isClosed) return "gone";
  const failed = await transact(database, {
    ...endedInvitation(database, invitation),
    ...newMembership(database, { organizationId, userId, role, createdAt: now, email }),
    ...("person" in invited
      ? { person: newPerson(database, invited.person) }
      : { person: oneMembershipMore(database, userId) }),
    organization: role === "owner" ? ownerCount(database, organizationId, 1) : unlessClosed(database, organizationId),
    event: await audit.write(event),
  });
  if (failed.size === 0) return "accepted";
  if (failed.has("invitation") || failed.has("organization")) return "gone";
  if (failed.has("membership")) return "member_already";
  throw new Error(`an invitation met ${[...failed].join(" and ")}`);
}

async function personOf(database: Database, invited: Invited): Promise<Pick<PersonRecord, "userId" | "email">> {
  if ("person" in invited) return invited.person;
  const person = await readPerson(database, invited.userId);
  if (person === undefined) throw new Error(`there is no person ${invited.userId}`);
  return person;
}

/** A record never changes: it is there twice, by secret and by organization, until it is used, revoked or expired. */
function openInvitation(database: Database, invitation: InvitationRecord) {
  const { secretHash, expiresAt } = invitation;
  return {
    invitation: putNew(database, invitationKey(secretHash), invitation, expiresAt),
    invitationListing: {
      Put: {
        TableName: database.tables.records,
        Item: toItem(listKeyOf(invitation), invitation, expiresAt),
      },
    },
  };
}

async function readInvitation(
  database: Database,
  secretHash: string,
  now: number,
): Promise<InvitationRecord | undefined> {
  const found = await readRecord<InvitationRecord>(database, "records", invitationKey(secretHash));
  return found !== undefined && found.expiresAt > now ? found : undefined;
}

/** The condition fails when it is gone. */
function endedInvitation(database: Database, invitation: InvitationRecord) {
  const TableName = database.tables.records;
  return {
    invitation: {
      Delete: {
        TableName,
        Key: keyAttributes(invitationKey(invitation.secretHash)),
        ConditionExpression: "attribute_exists(pk)",
      },
    },
    invitationListing: { Delete: { TableName, Key: keyAttributes(listKeyOf(invitation)) } },
  };
}

function listKeyOf({ organizationId, createdAt, invitationId }: InvitationRecord) {
  return invitationListKey(organizationId, createdAt, invitationId);
}
