import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { type NodeSqlDatabase, nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { API_CLIENT_SORTS, type ApiClientListRequest } from "../../lib/stores/api-clients.ts";
import { listApiClients } from "../../lib/stores/sql/api-clients.ts";
import { migrate } from "../../lib/stores/sql/migrate.ts";
import { registryMigrations } from "../../lib/stores/sql/migrations/registry.ts";

/** More than a search looks at one by one. */
const MANY = 12_000;
/** One in so many is a robot, which is too many to sort as well. */
const OTHER = 101;

let db: NodeSqlDatabase;

beforeAll(() => {
  db = nodeSqlDatabase(new DatabaseSync(":memory:"));
  migrate(db, [registryMigrations]);
  db.transaction(() => {
    for (let index = 0; index <= MANY; index++) insert("org_1", index);
    insert("org_2", MANY + 1);
  });
});

test("a list counts 10,000 at most", () => {
  const page = listApiClients(db, "org_1", { limit: 2 });
  expect([page.items.map(({ name }) => name), page.total]).toEqual([
    [`Ärger ${MANY}`, `Robot ${MANY - 1}`],
    { count: 10_000, isExact: false },
  ]);
  expect(listApiClients(db, "org_2", { limit: 2 }).total).toEqual({ count: 1, isExact: true });
});

test.each(["needle", '"needle" of 50% * and not', "ärger", "report 11", "nothing of it", "ä", "zq"])(
  "a search among many finds all that have %s at once, in every order, and counts them",
  (search) => {
    const expected = expectedOf(search);
    for (const sort of API_CLIENT_SORTS) {
      const page = listApiClients(db, "org_1", { limit: 200, search, sort });
      expect(page.items.map(({ createdAt }) => createdAt).toSorted(ascending)).toEqual(expected);
      expect([page.total, page.nextCursor]).toEqual([{ count: expected.length, isExact: true }, undefined]);
    }
  },
);

test.each([idOf(7), idOf(7).slice("client_".length, -4)])(
  "a search among many finds the id that begins so: %s",
  (search) => {
    expect(listApiClients(db, "org_1", { limit: 200, search }).items.map(({ name }) => name)).toEqual(["Robot 7"]);
  },
);

test.each(["robot", "ro", "r", "runs for"])(
  "what more than 10,000 have, %s, comes in pages, each client once",
  (search) => {
    const expected = expectedOf(search);
    expect(expected.length).toBeGreaterThan(10_000);
    for (const sort of API_CLIENT_SORTS) {
      const pages = every({ limit: 3000, search, sort });
      const seen = pages.flatMap(({ items }) => items.map(({ createdAt }) => createdAt));
      expect(seen.toSorted(ascending)).toEqual(expected);
      if (sort === "createdAt") expect(seen).toEqual(expected);
      if (sort === "-createdAt") expect(seen).toEqual(expected.toReversed());
      expect(pages[0]?.items).toHaveLength(3000);
      expect(pages[0]?.total).toEqual({ count: expect.any(Number), isExact: false });
    }
  },
);

function every(request: ApiClientListRequest) {
  const pages = [];
  let cursor: string | undefined;
  do {
    const page = listApiClients(db, "org_1", { ...request, ...(cursor !== undefined && { cursor }) });
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** Those of the first organization that have the text, in order; of fewer than three letters names begin with it. */
function expectedOf(search: string): readonly number[] {
  return Array.from({ length: MANY + 1 }, (_, index) => index).filter((index) => {
    const { name, description } = textsOf(index);
    const texts = [name, description].map((text) => text.toLowerCase());
    return search.length < 3 ? texts[0]?.startsWith(search) : texts.some((text) => text.includes(search));
  });
}

function textsOf(index: number) {
  if (index === MANY) return { name: `Ärger ${MANY}`, description: 'A "needle" of 50% * AND NOT' };
  return { name: `${index % OTHER === 0 ? "Report" : "Robot"} ${index}`, description: "Runs for one team" };
}

function ascending(one: number, other: number): number {
  return one - other;
}

function idOf(index: number): string {
  return `client_${String(index).padStart(8, "0")}-0000-8000-8000-000000000000`;
}

function insert(organizationId: string, index: number): void {
  const { name, description } = textsOf(index);
  db.run(
    `INSERT INTO api_clients (client_id, organization_id, name, description, scopes, resources, created_at, updated_at,
       revision, schema) VALUES (?, ?, ?, ?, '[]', '[]', ?, ?, 1, 1)`,
    ...[idOf(index), organizationId, name, description, index, index],
  );
}
