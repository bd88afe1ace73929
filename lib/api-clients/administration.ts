import { type Fields, readFields, textField, textListField } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { ApiClientChange, ApiClientListRequest, ApiClientPage, ApiClientRecord } from "../stores/api-clients.ts";
import {
  type Administrator,
  type ClientTarget,
  clientEvent,
  hasClientIdForm,
  nameOf,
  resultOf,
  targetOf,
  unknownClient,
} from "./client-event.ts";
import { type OthersGrants, othersGrants } from "./grantable.ts";
import type { ApiClientPorts } from "./ports.ts";

/**
 * Creates an API client from `{name, description?, scopes?, resources?}`.
 * @throws ProblemError `invalid_body`, `invalid_field`, `not_found` where the organization was deleted meanwhile
 */
export async function createApiClient(
  dependencies: ApiClientPorts,
  actor: Administrator,
  input: unknown,
): Promise<ApiClientRecord> {
  const fields = parseNewApiClient(input, await othersGrants(dependencies, actor.organizationId));
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
  const event = clientEvent(dependencies, actor, "api_client.created", { clientId: record.clientId }, record.name);
  // A registry that still runs the former release answers nothing, and has made it.
  if ((await dependencies.stores.apiClients.create(record, event)) === false) {
    throw new ProblemError("not_found", "The organization was deleted.");
  }
  return record;
}

/** The API clients of an organization, newest first unless another order is asked for. */
export function listApiClients(
  { stores }: Pick<ApiClientPorts, "stores">,
  organizationId: string,
  request: ApiClientListRequest,
): Promise<ApiClientPage> {
  return stores.apiClients.list(organizationId, request);
}

/**
 * One API client of the organization.
 * @throws ProblemError `not_found`
 */
export async function showApiClient(
  dependencies: ApiClientPorts,
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
  dependencies: ApiClientPorts,
  actor: Administrator,
  target: ClientTarget,
  input: unknown,
): Promise<ApiClientRecord> {
  const change = parseApiClientChange(input, await othersGrants(dependencies, actor.organizationId));
  const event = clientEvent(
    dependencies,
    actor,
    "api_client.updated",
    {
      clientId: target.clientId,
      fields: Object.keys(change).join(" "),
    },
    change.name ?? (await nameOf(dependencies, actor, target)),
  );
  const { apiClients } = dependencies.stores;
  return resultOf(await apiClients.update(targetOf(actor, target), change, event.time, event));
}

/**
 * Deletes an API client with its key pairs. Issued tokens live on until they expire unless `revokeTokens` (D12).
 * @throws ProblemError `not_found`, `stale`
 */
export async function deleteApiClient(
  dependencies: ApiClientPorts,
  actor: Administrator,
  target: ClientTarget,
  options: { readonly revokeTokens: boolean },
): Promise<void> {
  const event = clientEvent(
    dependencies,
    actor,
    "api_client.deleted",
    {
      clientId: target.clientId,
      revokeTokens: String(options.revokeTokens),
    },
    await nameOf(dependencies, actor, target),
  );
  resultOf(await dependencies.stores.apiClients.delete(targetOf(actor, target), options, event));
}

/** What the owner gives when creating an API client. */
type NewApiClient = Pick<ApiClientRecord, "name" | "scopes" | "resources"> & { readonly description?: string };

/**
 * Checks the fields of a new API client.
 * @throws ProblemError `invalid_body`, or `invalid_field` with a pointer for each fault
 */
export function parseNewApiClient(input: unknown, others: OthersGrants = NONE): NewApiClient {
  const fields = readFields(input, EDITABLE);
  const name = textField(fields, "name", NAME);
  const rest = optionalFields(fields, others);
  fields.finish();
  return { scopes: [], resources: [], ...rest, name: name as string };
}

/**
 * Checks a JSON merge patch (RFC 7396) of an API client: absent fields stay, `description: null` empties it.
 * @throws ProblemError `invalid_body`, or `invalid_field` with a pointer for each fault
 */
export function parseApiClientChange(input: unknown, others: OthersGrants = NONE): ApiClientChange {
  const fields = readFields(input, EDITABLE);
  const name = "name" in fields.object ? textField(fields, "name", NAME) : undefined;
  const rest = optionalFields(fields, others);
  fields.finish();
  return { ...(name !== undefined && { name }), ...rest };
}

function optionalFields(fields: Fields, others: OthersGrants): ApiClientChange {
  const { description, scopes, resources } = fields.object;
  return {
    ...(description !== undefined && { description: descriptionField(fields) }),
    ...(scopes !== undefined && { scopes: textListField(fields, "scopes", MAX_ENTRIES, scopeFault(others)) }),
    ...(resources !== undefined && {
      resources: textListField(fields, "resources", MAX_ENTRIES, resourceFault(others)),
    }),
  };
}

function descriptionField(fields: Fields): string {
  if (fields.object.description === null) return "";
  return textField(fields, "description", DESCRIPTION) ?? "";
}

const NONE: OthersGrants = { scopes: new Set(), audiences: new Set() };

const OF_OTHERS = "belongs to an app of another organization, which is not shared";

/** RFC 6749 §3.3 scope-token, and nothing that administers: that needs a person who is an owner. */
const scopeFault =
  (others: OthersGrants) =>
  (scope: string): string | undefined => {
    if (others.scopes.has(scope)) return OF_OTHERS;
    if (scope.length > 200 || !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope)) {
      return "must be a scope token of at most 200 characters: printable ASCII without spaces, quotes and backslashes";
    }
    const subject = scope.toLowerCase().replaceAll("-", "_").split(/[:./]/)[0] as string;
    if (ADMINISTRATION.includes(subject))
      return "administers, which no API client may; only a person who is an owner can";
    return undefined;
  };

/** A resource indicator (RFC 8707 §2). */
const resourceFault =
  (others: OthersGrants) =>
  (resource: string): string | undefined => {
    if (others.audiences.has(resource)) return OF_OTHERS;
    const accepted = "must be an absolute http or https URL without fragment and credentials";
    if (resource.length > 2048 || /[\s\p{Cc}#]/u.test(resource) || !/^https?:\/\//.test(resource)) return accepted;
    const url = URL.parse(resource);
    return url === null || url.username !== "" || url.password !== "" ? accepted : undefined;
  };

const EDITABLE = ["name", "description", "scopes", "resources"];
const NAME = { min: 1, max: 200 };
const DESCRIPTION = { min: 0, max: 2000, multiline: true };
const MAX_ENTRIES = 100;

/** What scopes may not name before their first separator, with `-` read as `_`. */
const ADMINISTRATION: readonly string[] = [
  "api_client",
  "api_clients",
  "key_pair",
  "key_pairs",
  "member",
  "members",
  "membership",
  "memberships",
  "invitation",
  "invitations",
  "organization",
  "organizations",
  "owner",
  "owners",
  "role",
  "roles",
  "gateway_settings",
];
