import type { Administrator } from "../api-clients/client-event.ts";
import { readFields } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { MemberChange, MemberRecord } from "../stores/members.ts";
import type { Page, PageRequest } from "../stores/paging.ts";
import { directoryEvent } from "./audit-events.ts";
import { roleField } from "./fields.ts";
import type { DirectoryPorts } from "./ports.ts";

/** Members of an organization, the one who joined first in front. */
export function listMembers(
  { stores }: Pick<DirectoryPorts, "stores">,
  organizationId: string,
  page: PageRequest,
): Promise<Page<MemberRecord>> {
  return stores.members.listMembers(organizationId, page);
}

/**
 * Gives a member the role of `{role}`; it holds from the member's next request on.
 * @throws ProblemError `invalid_body`, `invalid_field`, `not_found`, `conflict` for the last owner
 */
export async function changeRole(
  dependencies: DirectoryPorts,
  actor: Administrator,
  userId: string,
  input: unknown,
): Promise<MemberRecord> {
  const fields = readFields(input, ["role"]);
  const role = roleField(fields);
  fields.finish();
  if (role === undefined || !hasUserIdForm(userId)) throw unknownMember();
  const event = directoryEvent(dependencies, actor, "member.role_changed", { user: userId, details: { role } }, [
    userId,
    await addressOf(dependencies, userId),
  ]);
  const member = { organizationId: actor.organizationId, userId };
  refuse(await dependencies.stores.members.changeRole(member, role, event));
  return showMember(dependencies, member);
}

/**
 * Takes a person out of the organization, from the person's next request on.
 * @throws ProblemError `not_found`, `conflict` for the last owner
 */
export async function removeMember(dependencies: DirectoryPorts, actor: Administrator, userId: string): Promise<void> {
  if (!hasUserIdForm(userId)) throw unknownMember();
  const event = directoryEvent(dependencies, actor, "member.removed", { user: userId }, [
    userId,
    await addressOf(dependencies, userId),
  ]);
  const { organizationId } = actor;
  refuse(await dependencies.stores.members.removeMember({ organizationId, userId }, event));
}

async function addressOf({ stores }: Pick<DirectoryPorts, "stores">, userId: string): Promise<string | undefined> {
  return (await stores.directory.getPerson(userId))?.email;
}

/** A member as it is now. @throws ProblemError `not_found` when somebody removed the member meanwhile */
async function showMember(
  { stores }: Pick<DirectoryPorts, "stores">,
  { organizationId, userId }: Pick<MemberRecord, "organizationId" | "userId">,
): Promise<MemberRecord> {
  const [person, memberships] = await Promise.all([
    stores.directory.getPerson(userId),
    stores.directory.memberships(userId),
  ]);
  const membership = memberships.find((one) => one.organizationId === organizationId);
  if (person === undefined || membership === undefined) throw unknownMember();
  return { ...membership, email: person.email };
}

function refuse(change: MemberChange): void {
  if (change === "not_found") throw unknownMember();
  if (change === "last_owner") {
    throw new ProblemError("conflict", "An organization keeps one owner: make somebody else one first.");
  }
}

/** What cannot be a person's id reaches no store. */
function hasUserIdForm(text: string): boolean {
  return /^user_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function unknownMember(): ProblemError {
  return new ProblemError("not_found", "There is no such member in this organization.");
}
