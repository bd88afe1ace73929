import type { MembershipRecord, PersonRecord, Role } from "../directory.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";

export function getPerson(db: SqlDatabase, userId: string): PersonRecord | undefined {
  return personOf(db.all("SELECT * FROM people WHERE user_id = ?", userId)[0]);
}

export function findPersonByEmail(db: SqlDatabase, email: string): PersonRecord | undefined {
  return personOf(db.all("SELECT * FROM people WHERE email = ?", email)[0]);
}

/** @param holds whether `findPersonByEmail` finds the person: one who was invited has the address as a name alone (D167) */
export function insertPerson(db: SqlDatabase, person: PersonRecord, { holds }: { readonly holds: boolean }): void {
  db.run(
    "INSERT INTO people (user_id, email, created_at, schema) VALUES (?, ?, ?, ?)",
    person.userId,
    holds ? person.email : `${person.userId} ${person.email}`,
    person.createdAt,
    RECORD_SCHEMA,
  );
}

/** Oldest first. */
export function membershipsOf(db: SqlDatabase, userId: string): readonly MembershipRecord[] {
  return db
    .all("SELECT * FROM memberships WHERE user_id = ? ORDER BY created_at, organization_id", userId)
    .map(membershipOf);
}

/** @throws Error when the person does not exist */
export function insertMembership(db: SqlDatabase, membership: MembershipRecord): void {
  const rows = db.all(
    `INSERT INTO memberships (user_id, organization_id, role, created_at, schema)
     SELECT user_id, ?, ?, ?, ? FROM people WHERE user_id = ? RETURNING 1`,
    membership.organizationId,
    membership.role,
    membership.createdAt,
    RECORD_SCHEMA,
    membership.userId,
  );
  if (rows.length === 0) throw new Error(`there is no person ${membership.userId}`);
}

export function membershipOf(row: SqlRow): MembershipRecord {
  return {
    organizationId: String(row.organization_id),
    userId: String(row.user_id),
    role: row.role as Role,
    createdAt: Number(row.created_at),
  };
}

/** Deletes the person with all that is theirs alone: nobody signs in as them any more, and the address is free. */
export function forgetPerson(db: SqlDatabase, userId: string): void {
  for (const table of OF_A_PERSON) db.run(`DELETE FROM ${table} WHERE user_id = ?`, userId);
}

const OF_A_PERSON = ["passkeys", "identities", "sign_in_links", "browser_sessions", "people"] as const;

function personOf(row: SqlRow | undefined): PersonRecord | undefined {
  return row && { userId: String(row.user_id), email: emailOf(row), createdAt: Number(row.created_at) };
}

/** The column is unique. An address that its person does not hold stands behind their id, and no address has a space. */
export function emailOf({ email }: SqlRow): string {
  return String(email).replace(/^user_\S+ /, "");
}
