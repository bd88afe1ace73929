import type { AuditEvent } from "../audit-log.ts";
import type { Acceptance, INVITATIONS, InvitationRecord, Invited } from "../invitations.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { isClosed } from "./directory.ts";
import { findMember } from "./members.ts";
import { change, type Effects, latest, type SqlOperations, snapshot } from "./operations.ts";
import { insertMembership, insertPerson } from "./people.ts";

export const sqlInvitations: SqlOperations<typeof INVITATIONS> = {
  createInvitation: change(createInvitation),
  listInvitations: snapshot(listInvitations),
  findInvitation: latest(findInvitation),
  revokeInvitation: change(revokeInvitation),
  acceptInvitation: change(acceptInvitation),
};

export function createInvitation(
  db: SqlDatabase,
  effects: Effects,
  invitation: InvitationRecord,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    if (isClosed(db, invitation.organizationId)) return false;
    db.run(
      `INSERT INTO invitations (secret_hash, invitation_id, organization_id, created_at, expires_at, record, schema)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      invitation.secretHash,
      invitation.invitationId,
      invitation.organizationId,
      invitation.createdAt,
      invitation.expiresAt,
      JSON.stringify(invitation),
      RECORD_SCHEMA,
    );
    effects.event(event);
    return true;
  });
}

/** Newest first. */
export function listInvitations(db: SqlDatabase, organizationId: string, now: number): readonly InvitationRecord[] {
  return db
    .all(
      `SELECT record FROM invitations WHERE organization_id = ? AND expires_at > ?
       ORDER BY created_at DESC, invitation_id DESC LIMIT 200`,
      organizationId,
      now,
    )
    .map(invitationOf);
}

export function findInvitation(db: SqlDatabase, secretHash: string, now: number): InvitationRecord | undefined {
  const [row] = db.all("SELECT record FROM invitations WHERE secret_hash = ? AND expires_at > ?", secretHash, now);
  return row && invitationOf(row);
}

export function revokeInvitation(
  db: SqlDatabase,
  effects: Effects,
  organizationId: string,
  invitationId: string,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const deleted = db.all(
      "DELETE FROM invitations WHERE organization_id = ? AND invitation_id = ? AND expires_at > ? RETURNING 1",
      organizationId,
      invitationId,
      event.time,
    );
    if (deleted.length === 0) return false;
    effects.event(event);
    return true;
  });
}

/** @throws Error when it is to be accepted by a person who does not exist */
export function acceptInvitation(
  db: SqlDatabase,
  effects: Effects,
  secretHash: string,
  now: number,
  invited: Invited,
  event: AuditEvent,
): Acceptance {
  return db.transaction(() => {
    const invitation = findInvitation(db, secretHash, now);
    if (invitation === undefined || isClosed(db, invitation.organizationId)) return "gone";
    const { organizationId, role } = invitation;
    const userId = "person" in invited ? invited.person.userId : invited.userId;
    if ("person" in invited) insertPerson(db, invited.person, { holds: false });
    else if (findMember(db, { organizationId, userId }) !== undefined) return "member_already";
    insertMembership(db, { organizationId, userId, role, createdAt: now });
    db.run("DELETE FROM invitations WHERE secret_hash = ?", secretHash);
    effects.event(event);
    return "accepted";
  });
}

function invitationOf(row: SqlRow): InvitationRecord {
  return JSON.parse(String(row.record)) as InvitationRecord;
}
