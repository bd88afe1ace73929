import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import type { Page, PageRequest } from "../../../lib/stores/paging.ts";
import { readClients } from "./client-items.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Database } from "./database.ts";
import { fromItem } from "./items.ts";
import { clientListPartition } from "./keys.ts";
import { readRange } from "./reads.ts";

/** A sort key of the organization's list. */
const POSITION = /^\d{16}#[!-~]{1,128}$/;

interface Listing {
  readonly clientId: string;
  readonly position: string;
}

/** Reads one listing more than asked, which tells whether there is a next page, then the clients that they name. */
export async function listApiClients(
  database: Database,
  organizationId: string,
  page: PageRequest,
): Promise<Page<ApiClientRecord>> {
  const listings = await readListings(database, organizationId, page);
  const shown = listings.slice(0, page.limit);
  const records = await readClients(
    database,
    shown.map(({ clientId }) => clientId),
  );
  const last = shown.at(-1);
  return {
    // A client that was deleted between the two reads is left out.
    items: shown.flatMap(({ clientId }) => records.get(clientId) ?? []),
    ...(last !== undefined && listings.length > page.limit && { nextCursor: encodeCursor(last.position) }),
  };
}

async function readListings(
  database: Database,
  organizationId: string,
  page: PageRequest,
): Promise<readonly Listing[]> {
  const after = decodeCursor(page.cursor, POSITION);
  const listings: Listing[] = [];
  const range = {
    table: "records",
    partition: clientListPartition(organizationId),
    direction: "ascending",
    pageSize: page.limit + 1,
    ...(after !== undefined && { after }),
  } as const;
  for await (const item of readRange(database, range)) {
    listings.push({ clientId: fromItem<{ clientId: string }>(item).clientId, position: item.sk?.S as string });
    if (listings.length > page.limit) break;
  }
  return listings;
}
