import { QueryCommand } from "@aws-sdk/client-dynamodb";
import {
  type ApiClientListRequest,
  type ApiClientPage,
  type ApiClientRecord,
  type ApiClientSort,
  hasText,
} from "../../../lib/stores/api-clients.ts";
import { cursorOf, pageOf, positionOf } from "../../../lib/stores/paging.ts";
import type { Database } from "./database.ts";
import { fromItem } from "./items.ts";
import { clientListPartition } from "./keys.ts";
import { readRange } from "./reads.ts";

/** Listings that are looked through for one page at most: a few megabytes. */
const MOST = 10_000;
/** One of a former release names the client alone, which has to be read itself. */
const COST_OF_ID = 5;
/** Listings that are read and looked through at a time, and that are counted at most. */
const STEP = 100;
const COUNTED = 1_000;
/** A sort key of the organization's list. */
const POSITION = /^\d{16}#[!-~]{1,128}$/;

/** What an organization's list has of a client, for one that a former release wrote the id alone. */
export type ClientListing = Pick<ApiClientRecord, "clientId"> & Partial<Pick<ApiClientRecord, "name" | "description">>;

/** Of a client whose name is known. */
type Listing = Pick<ApiClientRecord, "clientId" | "name" | "description"> & { readonly position: string };

export interface ListedClients extends Omit<ApiClientPage, "items"> {
  readonly clientIds: readonly string[];
}

interface List {
  readonly database: Database;
  readonly organizationId: string;
  readonly request: ApiClientListRequest;
  readonly sort: ApiClientSort;
  readonly readClients: (
    database: Database,
    clientIds: readonly string[],
  ) => Promise<ReadonlyMap<string, ApiClientRecord>>;
}

/**
 * The clients of one page. The list is in order of creation: a search goes through it, and says how far it came. In order of
 * names are the newest of them (D267).
 */
export function readClientList(
  database: Database,
  organizationId: string,
  request: ApiClientListRequest,
  readClients: List["readClients"],
): Promise<ListedClients> {
  const list: List = { database, organizationId, request, sort: request.sort ?? "-createdAt", readClients };
  if (list.sort.endsWith("name")) return pageByName(list);
  return request.search === undefined ? pageByTime(list) : searchedPage(list, request.search);
}

async function pageByTime(list: List): Promise<ListedClients> {
  const { limit, cursor } = list.request;
  const found = async () => {
    const listed: Pick<Listing, "clientId" | "position">[] = [];
    for await (const listing of listings(list, limit + 1)) {
      listed.push(listing);
      if (listed.length > limit) break;
    }
    return listed;
  };
  const [listed, total] = await Promise.all([found(), cursor === undefined ? countListings(list) : undefined]);
  return { ...listedPage(list, listed), ...(total !== undefined && { total }) };
}

/** Of the first page it looks through more than it shows: so few can be counted. */
async function searchedPage(list: List, text: string): Promise<ListedClients> {
  const { limit, cursor } = list.request;
  const found: Listing[] = [];
  let looked = 0;
  for await (const { named, cost, last } of namedListings(list)) {
    found.push(...named.filter((listing) => hasText(listing, text)));
    looked += cost;
    const total = cursor === undefined && { total: { count: found.length, isExact: false } };
    if (found.length > limit && (cursor !== undefined || looked >= COUNTED)) {
      return { ...listedPage(list, found), ...total };
    }
    if (looked >= MOST) {
      const page = { clientIds: idsOf(found), nextCursor: cursorOf([list.sort, last]), searchedTo: timeOf(last) };
      return { ...(found.length > limit ? listedPage(list, found) : page), ...total };
    }
  }
  return {
    ...listedPage(list, found),
    ...(cursor === undefined && { total: { count: found.length, isExact: true } }),
  };
}

/** Looks through the newest ones, sorts them and shows those behind the cursor. */
async function pageByName(list: List): Promise<ListedClients> {
  const { limit, cursor, search } = list.request;
  const found: Listing[] = [];
  let looked = 0;
  let searchedTo: number | undefined;
  for await (const { named, cost, last } of namedListings(list)) {
    found.push(...(search === undefined ? named : named.filter((listing) => hasText(listing, search))));
    looked += cost;
    if (looked < MOST) continue;
    searchedTo = timeOf(last);
    break;
  }
  const direction = list.sort.startsWith("-") ? -1 : 1;
  const [sorted, name, position] = positionOf(cursor, 3) ?? [];
  const start = sorted === list.sort && name !== undefined ? [name, position ?? ""] : undefined;
  const behind = found
    .map((listing) => ({ clientId: listing.clientId, key: [nameKey(listing.name), listing.position] }))
    .filter(({ key }) => start === undefined || compare(key, start) * direction > 0)
    .toSorted((one, other) => compare(one.key, other.key) * direction);
  const { items, ...next } = pageOf(behind, limit, ({ key }) => cursorOf([list.sort, ...key]));
  return {
    clientIds: idsOf(items),
    ...next,
    total: { count: found.length, isExact: searchedTo === undefined },
    ...(searchedTo !== undefined && { searchedTo }),
  };
}

function listedPage({ request, sort }: List, found: readonly Pick<Listing, "clientId" | "position">[]): ListedClients {
  const { items, ...next } = pageOf(found, request.limit, ({ position }) => cursorOf([sort, position]));
  return { clientIds: idsOf(items), ...next };
}

/** Those behind the cursor, in order of creation; by names, from the newest on. */
async function* listings(list: List, pageSize: number): AsyncGenerator<ClientListing & Pick<Listing, "position">> {
  const { database, organizationId, request, sort } = list;
  const [sorted, position = ""] = positionOf(request.cursor, 2) ?? [];
  const range = {
    table: "records",
    partition: clientListPartition(organizationId),
    direction: sort === "createdAt" ? "ascending" : "descending",
    pageSize,
    ...(sorted === sort && POSITION.test(position) && { after: position }),
  } as const;
  for await (const item of readRange(database, range)) {
    yield { ...fromItem<ClientListing>(item), position: item.sk?.S as string };
  }
}

interface NamedListings {
  readonly named: readonly Listing[];
  /** How many listings it was as much as to read them. */
  readonly cost: number;
  readonly last: string;
}

async function* namedListings(list: List): AsyncGenerator<NamedListings> {
  let some: (ClientListing & Pick<Listing, "position">)[] = [];
  for await (const listing of listings(list, COUNTED)) {
    some.push(listing);
    if (some.length < STEP) continue;
    yield namesOf(list, some);
    some = [];
  }
  if (some.length > 0) yield namesOf(list, some);
}

async function namesOf(
  { database, readClients }: List,
  some: readonly (ClientListing & Pick<Listing, "position">)[],
): Promise<NamedListings> {
  const nameless = some.filter(({ name }) => name === undefined).map(({ clientId }) => clientId);
  const records = nameless.length === 0 ? new Map<string, ApiClientRecord>() : await readClients(database, nameless);
  const named = some.flatMap((listing): Listing[] => {
    const { name, description } = listing.name === undefined ? (records.get(listing.clientId) ?? {}) : listing;
    return name === undefined ? [] : [{ ...listing, name, ...(description !== undefined && { description }) }];
  });
  const cost = some.length + nameless.length * (COST_OF_ID - 1);
  return { named, cost, last: some.at(-1)?.position ?? "" };
}

async function countListings({ database, organizationId }: List): Promise<NonNullable<ApiClientPage["total"]>> {
  const { Count: count = 0, LastEvaluatedKey: more } = await database.client.send(
    new QueryCommand({
      TableName: database.tables.records,
      KeyConditionExpression: "pk = :partition",
      ExpressionAttributeValues: { ":partition": { S: clientListPartition(organizationId) } },
      ConsistentRead: true,
      Select: "COUNT",
      Limit: COUNTED + 1,
    }),
  );
  return { count: Math.min(count, COUNTED), isExact: count <= COUNTED && more === undefined };
}

function idsOf(listings: readonly Pick<Listing, "clientId">[]): readonly string[] {
  return listings.map(({ clientId }) => clientId);
}

function timeOf(position: string): number {
  return Number(position.slice(0, 16));
}

/** A to Z whatever their case. */
function nameKey(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function compare(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((text, index) => text !== other[index]);
  return at < 0 ? 0 : (one[at] as string) < (other[at] ?? "") ? -1 : 1;
}
