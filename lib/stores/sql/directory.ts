import type { AuditEvent } from "../audit-log.ts";
import type { FirstOwner, MembershipRecord, OrganizationRecord, PersonRecord, Role } from "../directory.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";

/** An organization without an owner. False, and nothing is written, when there is any organization. */
export function createFirstOrganization(
  db: SqlDatabase,
  consequences: Consequences,
  organization: OrganizationRecord,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    if (firstOrganization(db) !== undefined) return false;
    upsertOrganization(db, organization);
    consequences.event(event);
    return true;
  });
}

/** False, and nothing is written, when the region has an owner. Takes over an organization of the same id. */
export function createFirstOwner(
  db: SqlDatabase,
  consequences: Consequences,
  first: FirstOwner,
  event: AuditEvent,
): boolean {
  const { organization, person } = first;
  return db.transaction(() => {
    if (hasOwner(db)) return false;
    upsertOrganization(db, organization);
    db.run(
      "INSERT INTO people (user_id, email, created_at, schema) VALUES (?, ?, ?, ?)",
      person.userId,
      person.email,
      person.createdAt,
      RECORD_SCHEMA,
    );
    db.run(
      "INSERT INTO memberships (user_id, organization_id, role, created_at, schema) VALUES (?, ?, 'owner', ?, ?)",
      person.userId,
      organization.organizationId,
      person.createdAt,
      RECORD_SCHEMA,
    );
    consequences.event(event);
    return true;
  });
}

export function hasOwner(db: SqlDatabase): boolean {
  return db.all("SELECT 1 FROM memberships WHERE role = 'owner' LIMIT 1").length > 0;
}

export function firstOrganization(db: SqlDatabase): OrganizationRecord | undefined {
  return organizationOf(db.all("SELECT * FROM organizations ORDER BY sequence LIMIT 1")[0]);
}

export function getOrganization(db: SqlDatabase, organizationId: string): OrganizationRecord | undefined {
  return organizationOf(db.all("SELECT * FROM organizations WHERE organization_id = ?", organizationId)[0]);
}

export function getPerson(db: SqlDatabase, userId: string): PersonRecord | undefined {
  return personOf(db.all("SELECT * FROM people WHERE user_id = ?", userId)[0]);
}

export function findPersonByEmail(db: SqlDatabase, email: string): PersonRecord | undefined {
  return personOf(db.all("SELECT * FROM people WHERE email = ?", email)[0]);
}

/** Oldest first. */
export function membershipsOf(db: SqlDatabase, userId: string): readonly MembershipRecord[] {
  return db
    .all("SELECT * FROM memberships WHERE user_id = ? ORDER BY created_at, organization_id", userId)
    .map((row) => ({
      organizationId: String(row.organization_id),
      userId: String(row.user_id),
      role: row.role as Role,
      createdAt: Number(row.created_at),
    }));
}

function upsertOrganization(db: SqlDatabase, organization: OrganizationRecord): void {
  db.run(
    `INSERT INTO organizations (organization_id, name, created_at, schema) VALUES (?, ?, ?, ?)
     ON CONFLICT (organization_id) DO UPDATE SET name = excluded.name`,
    organization.organizationId,
    organization.name,
    organization.createdAt,
    RECORD_SCHEMA,
  );
}

function organizationOf(row: SqlRow | undefined): OrganizationRecord | undefined {
  return (
    row && { organizationId: String(row.organization_id), name: String(row.name), createdAt: Number(row.created_at) }
  );
}

function personOf(row: SqlRow | undefined): PersonRecord | undefined {
  return row && { userId: String(row.user_id), email: String(row.email), createdAt: Number(row.created_at) };
}
