import type { Dependencies } from "../dependencies.ts";
import type { ApiClientRecord } from "../stores/api-clients.ts";
import type { Page, PageRequest } from "../stores/paging.ts";
import {
  type Administrator,
  type ClientTarget,
  clientEvent,
  hasClientIdForm,
  resultOf,
  targetOf,
  unknownClient,
} from "./client-event.ts";
import { parseApiClientChange, parseNewApiClient } from "./fields.ts";

/**
 * Creates an API client from `{name, description?, scopes?, resources?}`.
 * @throws ProblemError `invalid_body`, `invalid_field`
 */
export async function createApiClient(
  dependencies: Dependencies,
  actor: Administrator,
  input: unknown,
): Promise<ApiClientRecord> {
  const fields = parseNewApiClient(input);
  const now = dependencies.clock.now();
  const record: ApiClientRecord = {
    ...fields,
    clientId: dependencies.clientIds.create(dependencies.random),
    organizationId: actor.organizationId,
    createdAt: now,
    updatedAt: now,
    revision: 1,
    grantRevision: 1,
    keyPairs: [],
  };
  await dependencies.stores.apiClients.create(
    record,
    clientEvent(dependencies, actor, "api_client.created", { clientId: record.clientId }),
  );
  return record;
}

/** The API clients of an organization, oldest first. */
export function listApiClients(
  { stores }: Pick<Dependencies, "stores">,
  organizationId: string,
  page: PageRequest,
): Promise<Page<ApiClientRecord>> {
  return stores.apiClients.list(organizationId, page);
}

/**
 * One API client of the organization.
 * @throws ProblemError `not_found`
 */
export async function showApiClient(
  dependencies: Dependencies,
  organizationId: string,
  clientId: string,
): Promise<ApiClientRecord> {
  if (!hasClientIdForm(clientId)) throw unknownClient();
  const record = await dependencies.stores.apiClients.get(organizationId, clientId);
  if (record === undefined) throw unknownClient();
  return record;
}

/**
 * Changes the fields that the merge patch names.
 * @throws ProblemError `invalid_body`, `invalid_field`, `not_found`, `stale`
 */
export async function updateApiClient(
  dependencies: Dependencies,
  actor: Administrator,
  target: ClientTarget,
  input: unknown,
): Promise<ApiClientRecord> {
  const change = parseApiClientChange(input);
  const event = clientEvent(dependencies, actor, "api_client.updated", {
    clientId: target.clientId,
    fields: Object.keys(change).join(" "),
  });
  const { apiClients } = dependencies.stores;
  return resultOf(await apiClients.update(targetOf(actor, target), change, event.time, event));
}

/**
 * Deletes an API client with its key pairs. Issued tokens live on until they expire unless `revokeTokens` (D12).
 * @throws ProblemError `not_found`, `stale`
 */
export async function deleteApiClient(
  dependencies: Dependencies,
  actor: Administrator,
  target: ClientTarget,
  options: { readonly revokeTokens: boolean },
): Promise<void> {
  const event = clientEvent(dependencies, actor, "api_client.deleted", {
    clientId: target.clientId,
    revokeTokens: String(options.revokeTokens),
  });
  resultOf(await dependencies.stores.apiClients.delete(targetOf(actor, target), options, event));
}
