import type { AuditEvent } from "../audit-log.ts";
import type { MembershipRecord, OrganizationRecord, Role } from "../directory.ts";
import { personId } from "../identities.ts";
import type { MEMBERS, MemberChange, MemberRecord, OrganizationChange } from "../members.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow, type SqlValue } from "./database.ts";
import { getOrganization, isClosed } from "./directory.ts";
import { listIdentities } from "./identities.ts";
import { change, type Effects, latest, type SqlOperations, snapshot, write } from "./operations.ts";
import { emailOf, forgetPerson, insertMembership, membershipOf, membershipsOf } from "./people.ts";

export const sqlMembers: SqlOperations<typeof MEMBERS> = {
  createOrganization: change(createOrganization),
  hasSeveralOrganizations: latest((db) => db.all("SELECT 1 FROM organizations LIMIT 2").length === 2),
  renameOrganization: change(renameOrganization),
  closeOrganization: write(closeOrganization),
  listMembers: snapshot(listMembers),
  changeRole: change(changeRole),
  removeMember: change(removeMember),
};

type Member = Pick<MembershipRecord, "organizationId" | "userId">;

export function createOrganization(
  db: SqlDatabase,
  effects: Effects,
  organization: OrganizationRecord,
  userId: string,
  event: AuditEvent,
): void {
  const { organizationId, name, createdAt, revision } = organization;
  db.transaction(() => {
    db.run(
      "INSERT INTO organizations (organization_id, name, created_at, revision, schema) VALUES (?, ?, ?, ?, ?)",
      organizationId,
      name,
      createdAt,
      revision,
      RECORD_SCHEMA,
    );
    insertMembership(db, { organizationId, userId, role: "owner", createdAt });
    effects.event(event);
  });
}

export function renameOrganization(
  db: SqlDatabase,
  effects: Effects,
  { organizationId, name, expectedRevision }: OrganizationChange,
  event: AuditEvent,
): OrganizationRecord | "not_found" | "stale" {
  return db.transaction(() => {
    const found = getOrganization(db, organizationId);
    if (found === undefined) return "not_found";
    if (expectedRevision !== undefined && expectedRevision !== found.revision) return "stale";
    const revision = found.revision + 1;
    db.run("UPDATE organizations SET name = ?, revision = ? WHERE organization_id = ?", name, revision, organizationId);
    effects.event(event);
    return { ...found, name, revision };
  });
}

function closeOrganization(db: SqlDatabase, organizationId: string, at: number): void {
  db.run(
    "UPDATE organizations SET deleted_at = ? WHERE organization_id = ? AND deleted_at IS NULL",
    at,
    organizationId,
  );
}

export function listMembers(db: SqlDatabase, organizationId: string, page: PageRequest): Page<MemberRecord> {
  const { condition, parameters } = afterMember(page.cursor);
  const rows = db.all(
    `SELECT memberships.*, people.email FROM memberships JOIN people USING (user_id)
     WHERE organization_id = ?${condition} ORDER BY memberships.created_at, user_id LIMIT ?`,
    organizationId,
    ...parameters,
    page.limit + 1,
  );
  return pageOf(rows.map(memberOf), page.limit, memberCursor);
}

export function changeRole(
  db: SqlDatabase,
  effects: Effects,
  member: Member,
  role: Role,
  event: AuditEvent,
): MemberChange {
  return db.transaction(() => {
    const found = findMember(db, member);
    if (found === undefined) return "not_found";
    if (found.role === role) return "unchanged";
    if (isLastOwner(db, found)) return "last_owner";
    db.run(
      "UPDATE memberships SET role = ? WHERE user_id = ? AND organization_id = ?",
      role,
      member.userId,
      member.organizationId,
    );
    effects.event(event);
    return "done";
  });
}

export function removeMember(db: SqlDatabase, effects: Effects, member: Member, event: AuditEvent): MemberChange {
  const { userId, organizationId } = member;
  return db.transaction(() => {
    const found = findMember(db, member);
    if (found === undefined) return "not_found";
    if (isLastOwner(db, found) && !isClosed(db, organizationId)) return "last_owner";
    db.run("DELETE FROM memberships WHERE user_id = ? AND organization_id = ?", userId, organizationId);
    const people = listIdentities(db, userId).map(personId);
    if (people.length > 0) effects.disconnect({ organizationId, people, at: event.time });
    if (membershipsOf(db, userId).length === 0) forgetPerson(db, userId);
    effects.event(event);
    return "done";
  });
}

export function findMember(db: SqlDatabase, { userId, organizationId }: Member): MembershipRecord | undefined {
  const [row] = db.all("SELECT * FROM memberships WHERE user_id = ? AND organization_id = ?", userId, organizationId);
  return row && membershipOf(row);
}

function isLastOwner(db: SqlDatabase, { role, organizationId }: MembershipRecord): boolean {
  if (role !== "owner") return false;
  const owners = db.all(
    "SELECT 1 FROM memberships WHERE organization_id = ? AND role = 'owner' LIMIT 2",
    organizationId,
  );
  return owners.length === 1;
}

function memberOf(row: SqlRow): MemberRecord {
  return { ...membershipOf(row), email: emailOf(row) };
}

/** Where a list of members goes on: `<createdAt>.<userId>` of the last that was shown. */
function memberCursor({ createdAt, userId }: Pick<MembershipRecord, "createdAt" | "userId">): string {
  return `${createdAt}.${userId}`;
}

/** The condition on members behind a cursor, oldest first; none for a text that is no cursor. */
function afterMember(cursor: string | undefined): {
  readonly condition: string;
  readonly parameters: readonly SqlValue[];
} {
  const [, createdAt, userId] = /^(\d{1,15})\.([A-Za-z0-9_-]{1,128})$/.exec(cursor ?? "") ?? [];
  if (createdAt === undefined || userId === undefined) return { condition: "", parameters: [] };
  return { condition: " AND (memberships.created_at, user_id) > (?, ?)", parameters: [Number(createdAt), userId] };
}
