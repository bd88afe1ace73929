import { createHash } from "node:crypto";
import { expectJson, manage, type Owner } from "../fixture.ts";

/** An audit record that names a session. */
export interface SessionRecord {
  readonly details?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** What a session is known by to everybody but its client. */
export function hashOf(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("base64url");
}

/** Audit records of a type that name this session, newest first. */
export async function sessionRecords(
  owner: Owner,
  type: string,
  sessionHash: string,
): Promise<readonly SessionRecord[]> {
  const response = await manage(owner, "GET", `/audit-events?type=${type}&limit=200`);
  const { items } = await expectJson<{ items: readonly SessionRecord[] }>(response, 200);
  return items.filter(({ details }) => details?.sessionId === sessionHash);
}
