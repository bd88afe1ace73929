import { ProblemError } from "../kernel/problem.ts";
import type { Role } from "../stores/directory.ts";
import type { Stores } from "../stores/stores.ts";

/** Who reads audit records, in one organization. */
export interface AuditReader {
  readonly organizationId: string;
  /** A person's role there; absent: an API client. */
  readonly role?: Role;
}

/**
 * The organization whose records a reader gets. The instance's own belong to none (undefined); they are for owners of
 * the first organization (D32).
 * @throws ProblemError `forbidden`
 */
export async function readableOrganization(
  { stores }: { readonly stores: Pick<Stores, "directory"> },
  { organizationId, role }: AuditReader,
  wanted: { readonly instance: boolean },
): Promise<string | undefined> {
  if (!wanted.instance) return organizationId;
  const first = await stores.directory.firstOrganization();
  if (role === "owner" && first?.organizationId === organizationId) return undefined;
  throw new ProblemError("forbidden", "Only owners of the first organization see the records of the instance.");
}
