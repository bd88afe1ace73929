import type { Dependencies } from "../dependencies.ts";
import type { Steps } from "../management/schemas/overview.ts";
import type { AuditEventType } from "../stores/audit-log.ts";

/** Clients that are looked at for a key pair: whoever has more is no beginner. */
const CLIENTS = 20;

/** What has been done already on the way to the first tool call. */
export async function readSteps(
  dependencies: Pick<Dependencies, "stores">,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
): Promise<Steps> {
  const { apiClients, passkeys } = dependencies.stores;
  const happened = (type: AuditEventType) => hasHappened(dependencies, organizationId, type);
  const [own, clients, token, toolCall] = await Promise.all([
    passkeys.listPasskeys(userId),
    apiClients.list(organizationId, { limit: CLIENTS }),
    happened("token.issued"),
    happened("tool.invoked"),
  ]);
  return {
    passkey: own.length > 0,
    apiClient: clients.items.length > 0,
    keyPair: clients.nextCursor !== undefined || clients.items.some(({ keyPairs }) => keyPairs.length > 0),
    token,
    toolCall,
  };
}

/** Where so much has been recorded that the search ends before the records do, the first steps are long made. */
async function hasHappened(
  { stores }: Pick<Dependencies, "stores">,
  organizationId: string,
  type: AuditEventType,
): Promise<boolean> {
  const { items, nextCursor } = await stores.auditLog.query({ organizationId, type }, { limit: 1 });
  return items.length > 0 || nextCursor !== undefined;
}
