import { expect, test } from "vitest";
import { searchApiClients } from "../../lib/api-clients/search.ts";
import type { ApiClientRecord, ApiClients } from "../../lib/stores/api-clients.ts";
import type { Page } from "../../lib/stores/paging.ts";

test("finds a part of the name, the description or the id, in whatever case", async () => {
  const clients = [client(1, "Reporting"), client(2, "CI", "Publishes REPORTS"), client(3, "Billing")];
  const names = async (text: string) => {
    const { items } = await searchApiClients(listOf(clients), "org", text, { limit: 50 });
    return items.map(({ name }) => name);
  };
  expect(await names("report")).toEqual(["Reporting", "CI"]);
  expect(await names("CLIENT_3")).toEqual(["Billing"]);
  expect(await names("nothing of it")).toEqual([]);
});

test("pages follow one another without a gap or a double, each of them full while there are enough", async () => {
  const clients = Array.from({ length: 900 }, (_, index) => client(index, index % 7 === 0 ? "seventh" : "other"));
  const pages = await readAll(clients, "seventh", 50);
  expect(pages.map(({ items }) => items.length)).toEqual([50, 50, 29]);
  expect(idsOf(pages)).toEqual(clients.filter(({ name }) => name === "seventh").map(({ clientId }) => clientId));
});

test("one request looks at 2,000 clients, and the next goes on behind them", async () => {
  const clients = Array.from({ length: 4500 }, (_, index) => client(index, index === 4400 ? "needle" : "hay"));
  const pages = await readAll(clients, "needle", 10);
  expect(pages.map(({ items }) => items.length)).toEqual([0, 0, 1]);
  expect(idsOf(pages)).toEqual(["client_4400"]);
});

async function readAll(clients: readonly ApiClientRecord[], text: string, limit: number) {
  const pages: Page<ApiClientRecord>[] = [];
  let cursor: string | undefined;
  do {
    const from = cursor === undefined ? {} : { cursor };
    const page = await searchApiClients(listOf(clients), "org", text, { limit, ...from });
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

function idsOf(pages: readonly Page<ApiClientRecord>[]): readonly string[] {
  return pages.flatMap(({ items }) => items.map(({ clientId }) => clientId));
}

/** The cursor is the index of the next one. */
function listOf(clients: readonly ApiClientRecord[]): Pick<ApiClients, "list"> {
  return {
    list: async (_, { limit, cursor = "0" }) => {
      const end = Number(cursor) + limit;
      const items = clients.slice(Number(cursor), end);
      return { items, ...(end < clients.length && { nextCursor: String(end) }) };
    },
  };
}

function client(index: number, name: string, description?: string): ApiClientRecord {
  return {
    clientId: `client_${index}`,
    organizationId: "org",
    name,
    ...(description !== undefined && { description }),
    scopes: [],
    resources: [],
    createdAt: index,
    updatedAt: index,
    revision: 1,
    grantRevision: 1,
    keyPairs: [],
  };
}
