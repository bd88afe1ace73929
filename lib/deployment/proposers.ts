import type { ApiClients } from "../stores/api-clients.ts";
import type { AuditLog } from "../stores/audit-log.ts";
import type { Directory } from "../stores/directory.ts";

export interface ProposerPorts {
  readonly stores: {
    readonly directory: Pick<Directory, "firstOrganization" | "memberships">;
    readonly apiClients: Pick<ApiClients, "get">;
    readonly auditLog: Pick<AuditLog, "query">;
  };
}

/** What an API client needs to publish. */
const SCOPE = "deployments:publish";

/**
 * Whether who has proposed something is still an owner of the first organization, or an API client of it that may publish.
 * @param id `user_…` or `client_…`
 */
export async function mayStillPublish({ stores }: ProposerPorts, id: string): Promise<boolean> {
  const { directory, apiClients } = stores;
  const first = await directory.firstOrganization();
  if (first === undefined) return false;
  const { organizationId } = first;
  if (isClient(id)) return (await apiClients.get(organizationId, id))?.scopes.includes(SCOPE) === true;
  const memberships = await directory.memberships(id);
  return memberships.some((one) => one.organizationId === organizationId && one.role === "owner");
}

/**
 * Whether a person has given an API client a key, as far back as the audit log goes: what the client proposes may be theirs.
 * @param id of a person gives false
 */
export async function hasGivenKey({ stores }: ProposerPorts, person: string, id: string): Promise<boolean> {
  const first = await stores.directory.firstOrganization();
  if (first === undefined || !isClient(id)) return false;
  const filter = { organizationId: first.organizationId, type: "key_pair.added", actor: person };
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const found = await stores.auditLog.query(filter, { limit: PAGE, ...(cursor !== undefined && { cursor }) });
    if (found.items.some(({ details }) => details?.clientId === id)) return true;
    cursor = found.nextCursor;
    if (cursor === undefined) return false;
  }
  // Nobody gives so many by hand; whoever has is not told apart from who has given this one.
  return true;
}

/** Records of a page, and pages. */
const PAGE = 200;
const MOST_PAGES = 10;

function isClient(id: string): boolean {
  return id.startsWith("client_");
}
