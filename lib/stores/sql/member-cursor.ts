import type { MembershipRecord } from "../directory.ts";
import type { SqlValue } from "./database.ts";

/** Where a list of members goes on: `<createdAt>.<userId>` of the last that was shown. */
export function memberCursor({ createdAt, userId }: Pick<MembershipRecord, "createdAt" | "userId">): string {
  return `${createdAt}.${userId}`;
}

/** The condition on members behind a cursor, oldest first; none for a text that is no cursor. */
export function afterMember(cursor: string | undefined): {
  readonly condition: string;
  readonly parameters: readonly SqlValue[];
} {
  const [, createdAt, userId] = /^(\d{1,15})\.([A-Za-z0-9_-]{1,128})$/.exec(cursor ?? "") ?? [];
  if (createdAt === undefined || userId === undefined) return { condition: "", parameters: [] };
  return { condition: " AND (memberships.created_at, user_id) > (?, ?)", parameters: [Number(createdAt), userId] };
}
