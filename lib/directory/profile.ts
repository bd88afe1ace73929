import type { Dependencies } from "../dependencies.ts";
import type { Role } from "../stores/directory.ts";

/** A person and the organizations the person belongs to, oldest membership first. */
export interface Profile {
  readonly userId: string;
  readonly email: string | undefined;
  readonly organizations: readonly { readonly organizationId: string; readonly name: string; readonly role: Role }[];
}

export async function readProfile(dependencies: Dependencies, userId: string): Promise<Profile> {
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
