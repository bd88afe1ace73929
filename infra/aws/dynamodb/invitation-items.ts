import type { InvitationRecord } from "../../../lib/stores/invitations.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { invitationKey, invitationListKey } from "./keys.ts";
import { putNew } from "./put-new.ts";
import { readRecord } from "./reads.ts";

/** A record never changes: it is there twice, by secret and by organization, until it is used, revoked or expired. */
export function openInvitation(database: Database, invitation: InvitationRecord) {
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

export async function readInvitation(
  database: Database,
  secretHash: string,
  now: number,
): Promise<InvitationRecord | undefined> {
  const found = await readRecord<InvitationRecord>(database, "records", invitationKey(secretHash));
  return found !== undefined && found.expiresAt > now ? found : undefined;
}

/** The condition fails when it is gone. */
export function endedInvitation(database: Database, invitation: InvitationRecord) {
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
