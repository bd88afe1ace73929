import type { Directory, MembershipRecord } from "../../../lib/stores/directory.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { browserSessions } from "./browser-sessions.ts";
import type { Database } from "./database.ts";
import { createFirstOrganization, createFirstOwner } from "./first-owner.ts";
import { fromItem } from "./items.ts";
import { emailKey, firstOrganizationKey, membershipPartition } from "./keys.ts";
import { readOrganization } from "./organization-items.ts";
import { readPerson } from "./person-items.ts";
import { readRange, readRecord } from "./reads.ts";
import { signInLinks } from "./sign-in-links.ts";

const PAGE_SIZE = 100;

/** Organizations and people in the records table, browser sessions in the sessions table. */
export function dynamoDirectory(database: Database, audit: AuditWriter): Directory {
  return {
    createFirstOrganization: (first, event) => createFirstOrganization(database, audit, first, event),
    createFirstOwner: (first, event) => createFirstOwner(database, audit, first, event),
    getOrganization: (organizationId) => readOrganization(database, organizationId),
    getPerson: (userId) => readPerson(database, userId),
    async firstOrganization() {
      const first = await readRecord<{ organizationId: string }>(database, "records", firstOrganizationKey);
      return first && readOrganization(database, first.organizationId);
    },
    async findPersonByEmail(email) {
      const reserved = await readRecord<{ userId: string }>(database, "records", emailKey(email));
      return reserved && readPerson(database, reserved.userId);
    },
    memberships: (userId) => memberships(database, userId),
    ...signInLinks(database, audit),
    ...browserSessions(database),
  };
}

/** Oldest first. */
async function memberships(database: Database, userId: string): Promise<readonly MembershipRecord[]> {
  const partition = membershipPartition(userId);
  const found: MembershipRecord[] = [];
  for await (const item of readRange(database, {
    table: "records",
    partition,
    direction: "ascending",
    pageSize: PAGE_SIZE,
  })) {
    found.push(fromItem<MembershipRecord>(item));
  }
  return found.sort((one, other) => one.createdAt - other.createdAt);
}
