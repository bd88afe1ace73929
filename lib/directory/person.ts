import { sha256base64url } from "../kernel/encoding.ts";
import { uuid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { Role } from "../stores/directory.ts";
import type { DirectoryPorts } from "./ports.ts";

export function newUserId({ random }: Pick<DirectoryPorts, "random">): string {
  return `user_${uuid(random)}`;
}

/**
 * The id of a person who signs in through a connector. It is the same in every region and for every client, and does not
 * reveal who the person is. No client id has this form.
 *
 * @param issuer of the connector, as its ID tokens spell it
 * @param subject the `sub` there
 */
export function personId(issuer: string, subject: string): string {
  return `user_${sha256base64url(JSON.stringify([issuer, subject]))}`;
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
      return { organizationId, name: organization?.name ?? organizationId, role };
    }),
  );
  return { userId, email: person?.email, organizations };
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
