import { ulidTime } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import {
  type AuditEvent,
  type AuditFilter,
  type AuditPage,
  type AuditPageRequest,
  MAX_AUDIT_TOTAL,
} from "../stores/audit-log.ts";
import type { OrganizationRecord, Role } from "../stores/directory.ts";
import type { Total } from "../stores/paging.ts";
import type { Stores } from "../stores/stores.ts";

/** Who reads audit records, in one organization. */
export interface AuditReader {
  readonly organizationId: string;
  /** A person's role there; absent: an API client. */
  readonly role?: Role;
}

/** Reads a page of records, newest first. */
export type ReadRecords = (page: AuditPageRequest) => Promise<AuditPage>;

/**
 * The records that a reader gets. Before there was an organization, nobody's records could belong to one: for owners of the first
 * one, those of that time follow its own, so that what agents did before is not missed.
 *
 * @throws ProblemError `forbidden`
 */
export async function recordsFor(
  { stores }: { readonly stores: Pick<Stores, "directory" | "auditLog"> },
  reader: AuditReader,
  { instance, ...filter }: Omit<AuditFilter, "organizationId"> & { readonly instance: boolean },
): Promise<ReadRecords> {
  const conditions = aroundRequest(filter);
  const { auditLog } = stores;
  const organizationId = await readableOrganization({ stores }, reader, { instance });
  const own: ReadRecords = (page) => auditLog.query({ organizationId, ...conditions }, page);
  const first = instance ? undefined : await firstOrganizationOf({ stores }, reader);
  if (first === undefined || (conditions.from ?? 0) >= first.createdAt) return own;
  const to = Math.min(conditions.to ?? first.createdAt, first.createdAt);
  return oneAfterTheOther(own, (page) => auditLog.query({ organizationId: undefined, ...conditions, to }, page));
}

/** Milliseconds. Clocks differ by the first; a request's last record comes within the second. */
const BEFORE_REQUEST = 1_000;
const OF_REQUEST = 3_600_000;

/** Ids of requests and of records say when: without times of its own, a search for one looks there alone, however many records there are. */
function aroundRequest(filter: Omit<AuditFilter, "organizationId">): Omit<AuditFilter, "organizationId"> {
  const time = ulidTime(filter.requestId ?? filter.q?.toUpperCase() ?? "");
  if (time === undefined || filter.from !== undefined || filter.to !== undefined) return filter;
  return { ...filter, from: time - BEFORE_REQUEST, to: time + OF_REQUEST };
}

/**
 * The record with an id, which says when it was written; undefined where the reader has none of that id.
 *
 * @throws ProblemError `forbidden`
 */
export async function recordOf(
  ports: Parameters<typeof recordsFor>[0],
  reader: AuditReader,
  id: string,
  of: { readonly instance: boolean },
): Promise<AuditEvent | undefined> {
  const time = ulidTime(id);
  if (time === undefined) return undefined;
  const records = await recordsFor(ports, reader, { ...of, from: time, to: time + 1 });
  let page: AuditPage | undefined;
  do {
    const cursor = page?.nextCursor;
    page = await records({ limit: 200, ...(cursor !== undefined && { cursor }) });
    const found = page.items.find((event) => event.id === id);
    if (found !== undefined) return found;
  } while (page.nextCursor !== undefined);
  return undefined;
}

/** Stands in front of cursors of the second list. No cursor of a store has a dot. */
const BEFORE = "before.";

function oneAfterTheOther(own: ReadRecords, before: ReadRecords): ReadRecords {
  const marked = ({ nextCursor, ...page }: AuditPage): AuditPage => ({
    ...page,
    ...(nextCursor !== undefined && { nextCursor: BEFORE + nextCursor }),
  });
  const read: ReadRecords = async ({ limit, cursor }) => {
    if (cursor?.startsWith(BEFORE)) {
      const inner = cursor.slice(BEFORE.length);
      return marked(await before({ limit, ...(inner !== "" && { cursor: inner }) }));
    }
    const found = await own({ limit, ...(cursor !== undefined && { cursor }) });
    if (found.nextCursor !== undefined) return found;
    const room = limit - found.items.length;
    const rest = await before({ limit: Math.max(room, 1) });
    // Without room, what was found only tells that there is more.
    if (room === 0) return rest.items.length === 0 ? found : { ...found, nextCursor: BEFORE };
    return { ...marked(rest), items: [...found.items, ...rest.items] };
  };
  return async ({ withTotal = false, ...page }) => {
    if (!withTotal || page.cursor !== undefined) return read(page);
    const counted = [own, before].map((list) => list({ limit: 1, withTotal }));
    const [found, ...totals] = await Promise.all([read(page), ...counted]);
    return { ...found, total: sumOf(totals.flatMap(({ total }) => total ?? [])) };
  };
}

function sumOf(totals: readonly Total[]): Total {
  const count = totals.reduce((sum, total) => sum + total.count, 0);
  const isExact = totals.every((total) => total.isExact) && count <= MAX_AUDIT_TOTAL;
  return { count: Math.min(count, MAX_AUDIT_TOTAL), isExact };
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
  if ((await firstOrganizationOf({ stores }, { organizationId, role })) !== undefined) return undefined;
  throw new ProblemError("forbidden", "Only owners of the first organization see the records of the instance.");
}

/** The first organization, if the reader is an owner of it. */
async function firstOrganizationOf(
  { stores }: { readonly stores: Pick<Stores, "directory"> },
  { organizationId, role }: AuditReader,
): Promise<OrganizationRecord | undefined> {
  if (role !== "owner") return undefined;
  const first = await stores.directory.firstOrganization();
  return first?.organizationId === organizationId ? first : undefined;
}
