import type { ApiClients, KeyPairRecord } from "../stores/api-clients.ts";
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

/** Whether what an API client proposes may be a person's who has given it a key; `unknown`: the audit log does not say it. */
export type KeyGiving = "given" | "not given" | "unknown";

/**
 * Whether a person has given an API client a key, revoked ones included, or another API client that has given it one.
 * @param id of a person: `not given`
 */
export async function keyGiving({ stores }: ProposerPorts, person: string, id: string): Promise<KeyGiving> {
  const first = await stores.directory.firstOrganization();
  if (first === undefined || !isClient(id)) return "not given";
  const { organizationId } = first;
  const clients = new Set([id]);
  let isKnown = true;
  // It grows on the way.
  for (const clientId of clients) {
    const client = clients.size > MOST_CLIENTS ? undefined : await stores.apiClients.get(organizationId, clientId);
    if (client === undefined) return "unknown";
    const givers = await Promise.all(client.keyPairs.map((pair) => giverOf(stores.auditLog, organizationId, pair)));
    if (givers.includes(person)) return "given";
    isKnown &&= !givers.includes(undefined);
    for (const giver of givers) if (giver !== undefined && isClient(giver)) clients.add(giver);
  }
  return isKnown ? "not given" : "unknown";
}

/** Who added a key pair; undefined: the audit log has forgotten it, or it is not found among what else was recorded then. */
async function giverOf(
  auditLog: ProposerPorts["stores"]["auditLog"],
  organizationId: string,
  { keyPairId, createdAt }: KeyPairRecord,
): Promise<string | undefined> {
  const time = { from: createdAt - AROUND, to: createdAt + AROUND };
  const filter = { organizationId, type: "key_pair.added", ...time };
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const found = await auditLog.query(filter, { limit: PAGE, ...(cursor !== undefined && { cursor }) });
    const record = found.items.find(({ details }) => details?.keyPairId === keyPairId);
    if (record !== undefined) return record.actor;
    cursor = found.nextCursor;
    if (cursor === undefined) return undefined;
  }
  return undefined;
}

/** API clients that have given one another keys: nobody needs more. */
const MOST_CLIENTS = 5;
/** Between a key pair and its record lies no more than a jump of the clock, milliseconds. */
const AROUND = 5_000;
/** Records of a page, and pages. */
const PAGE = 200;
const MOST_PAGES = 20;

function isClient(id: string): boolean {
  return id.startsWith("client_");
}
