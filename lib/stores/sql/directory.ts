import type { AuditEvent } from "../audit-log.ts";
import type { FirstOwner, OrganizationRecord } from "../directory.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { insertMembership, insertPerson } from "./people.ts";

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
  const { organizationId } = organization;
  return db.transaction(() => {
    if (hasOwner(db)) return false;
    upsertOrganization(db, organization);
    insertPerson(db, person);
    insertMembership(db, { organizationId, userId: person.userId, role: "owner", createdAt: person.createdAt });
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

function upsertOrganization(db: SqlDatabase, organization: OrganizationRecord): void {
  db.run(
    `INSERT INTO organizations (organization_id, name, created_at, revision, schema) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (organization_id) DO UPDATE SET name = excluded.name`,
    organization.organizationId,
    organization.name,
    organization.createdAt,
    organization.revision,
    RECORD_SCHEMA,
  );
}

function organizationOf(row: SqlRow | undefined): OrganizationRecord | undefined {
  return (
    row && {
      organizationId: String(row.organization_id),
      name: String(row.name),
      createdAt: Number(row.created_at),
      revision: Number(row.revision),
    }
  );
}
