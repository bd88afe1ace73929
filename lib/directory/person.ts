import { uuid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { Role } from "../stores/directory.ts";
import type { MemberRecord } from "../stores/members.ts";
import type { Page } from "../stores/paging.ts";
import type { DirectoryPorts } from "./ports.ts";

export function newUserId({ random }: Pick<DirectoryPorts, "random">): string {
  return `user_${uuid(random)}`;
}

/** A person and the organizations the person belongs to, oldest membership first. */
export interface Profile {
  readonly userId: string;
  readonly email: string | undefined;
  readonly organizations: readonly { readonly organizationId: string; readonly name: string; readonly role: Role }[];
}

export async function readProfile(dependencies: DirectoryPorts, userId: string): Promise<Profile> {
  const { directory } = dependencies.stores;
  const [person, memberships] = await Promise.all([directory.getPerson(userId), directory.memberships(userId)]);
  const organizations = await Promise.all(
    memberships.map(async ({ organizationId, role }) => {
      const organization = await directory.getOrganization(organizationId);
      // One that was deleted, whose members are being removed.
      return organization === undefined ? [] : [{ organizationId, name: organization.name, role }];
    }),
  );
  return { userId, email: person?.email, organizations: organizations.flat() };
}

/** Members that are read at a time. */
const PAGE = 200;

/**
 * The members of an organization who go by an address, who joined first before others. It is a name that whoever invites gives,
 * so they are looked for among one organization's own people alone (D167).
 */
export async function membersWithAddress(
  { stores }: { readonly stores: Pick<DirectoryPorts["stores"], "members"> },
  organizationId: string,
  email: string,
): Promise<readonly MemberRecord[]> {
  const found: MemberRecord[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<MemberRecord> = await stores.members.listMembers(organizationId, {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.items.filter((member) => member.email === email));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/**
 * The ids of those who go by an address for the operator of the instance: members of its first organization, else the person who
 * holds it since a former release. Whom of several the operator means, an address does not say.
 */
export async function knownToOperator(
  { stores }: { readonly stores: Pick<DirectoryPorts["stores"], "directory" | "members"> },
  email: string,
): Promise<readonly string[]> {
  const first = await stores.directory.firstOrganization();
  const members = first === undefined ? [] : await membersWithAddress({ stores }, first.organizationId, email);
  if (members.length > 0) return members.map(({ userId }) => userId);
  const holder = await stores.directory.findPersonByEmail(email);
  return holder === undefined ? [] : [holder.userId];
}

/**
 * Runs work for a person who existed a moment ago. If it fails because the person has meanwhile left their last
 * organization, that is a refusal and not a defect.
 * @throws ProblemError `forbidden` in that case, otherwise the error of the work
 */
export async function inTheNameOf<Result>(
  { stores }: Pick<DirectoryPorts, "stores">,
  userId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if ((await stores.directory.getPerson(userId)) !== undefined) throw error;
    throw noOrganization(error);
  }
}

/** The refusal of a person who belongs to no organization any more. */
export function noOrganization(cause?: unknown): ProblemError {
  return new ProblemError("forbidden", "You belong to no organization.", { cause });
}
