import { expect } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { eventually } from "../support/eventually.ts";
import type { OpenedStores } from "./engine.ts";
import { apiClient, auditEvent } from "./records.ts";

/** Writes beside one that fails. */
export const OTHERS = 20;

export interface Write {
  readonly event?: AuditEvent;
  write(stores: Stores): Promise<unknown>;
}

/** Starts all writes at once with the failing one in their middle, and restarts the store. Returns the writes' events. */
export async function settleBesides(
  writes: readonly Write[],
  failing: (stores: Stores) => Promise<unknown>,
  opened: OpenedStores,
): Promise<readonly AuditEvent[]> {
  const { stores } = opened;
  const half = writes.length / 2;
  const start = ({ write }: Write) => write(stores);
  const before = writes.slice(0, half).map(start);
  const failure = failing(stores);
  const after = writes.slice(half).map(start);
  const [failed, ...others] = await Promise.allSettled([failure, ...before, ...after]);
  expect(failed).toMatchObject({ status: "rejected" });
  expect(others.filter(({ status }) => status === "rejected")).toEqual([]);
  await opened.reopen();
  return writes.flatMap(({ event }) => event ?? []);
}

/** A creation with an id that another client has. */
export async function creationThatFails(
  stores: Stores,
  organizationId: string,
): Promise<(stores: Stores) => Promise<unknown>> {
  const { clientId } = await createdClient(stores);
  return ({ apiClients }) => apiClients.create(apiClient({ clientId, organizationId }), auditEvent({ organizationId }));
}

export async function createdClient({ apiClients }: Stores): Promise<ApiClientRecord> {
  const client = apiClient();
  await apiClients.create(client, auditEvent({ organizationId: client.organizationId }));
  return client;
}

/** Ids of an organization's records, sorted, once there are at least so many. */
export async function recorded(
  { auditLog }: Stores,
  organizationId: string,
  count: number,
  type?: AuditEvent["type"],
): Promise<readonly string[]> {
  const { items } = await eventually(
    () => auditLog.query({ organizationId, ...(type !== undefined && { type }) }, { limit: 100 }),
    (page) => page.items.length >= count,
  );
  return sortedIds(items);
}

export function sortedIds(events: readonly AuditEvent[]): readonly string[] {
  return events.map(({ id }) => id).sort();
}
