import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { RunningRegions } from "../support/runtime.ts";
import {
  addKey,
  answerOf,
  createClient,
  createSigner,
  issueToken,
  manage,
  type Owner,
  requestToken,
  type Signer,
} from "./fixture.ts";

const UNKNOWN_CLIENT = "client_00000000-0000-8000-8000-000000000000";
const UNKNOWN_KEY = "key_00000000-0000-4000-8000-000000000000";

/** The life of an API client. */
export function apiClients(regions: () => RunningRegions, owner: () => Owner): void {
  const at = (clientId: string) => `${owner().region.url}/api/v1/api-clients/${clientId}`;
  const change = (clientId: string, ifMatch: string, body: unknown, method = "PATCH") =>
    fetch(at(clientId), {
      method,
      headers: { Cookie: owner().cookie, "Content-Type": "application/json", "If-Match": ifMatch },
      body: JSON.stringify(body),
    });

  test("an owner creates an API client; it is shown, listed, edited and deleted", async () => {
    const created = await answerOf(manage(owner(), "POST", "/api-clients", { name: " CI ", description: "builds" }));
    expect(created.status).toBe(201);
    const client = created.body as { clientId: string; createdAt: string };
    expect(created.headers.get("Location")).toBe(`/api/v1/api-clients/${client.clientId}`);
    expect(created.headers.get("Cache-Control")).toBe("no-store");
    expect(client).toEqual({
      clientId: expect.stringMatching(/^client_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: "CI",
      description: "builds",
      scopes: [],
      resources: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: client.createdAt,
      keyPairs: [],
    });
    const path = `/api-clients/${client.clientId}`;
    expect((await answerOf(manage(owner(), "GET", path))).body).toEqual(client);
    expect(await listed(owner())).toContain(client.clientId);

    const edit = { name: "CD", description: null, scopes: ["audit:read"], resources: ["https://gateway.example/mcp"] };
    const edited = await answerOf(manage(owner(), "PATCH", path, edit));
    expect(edited).toMatchObject({
      status: 200,
      body: { ...client, ...edit, description: "", updatedAt: expect.any(String) },
    });
    expect((await answerOf(manage(owner(), "GET", path))).body).toEqual(edited.body);

    expect((await manage(owner(), "DELETE", path)).status).toBe(204);
    expect((await manage(owner(), "GET", path)).status).toBe(404);
    expect((await manage(owner(), "DELETE", path)).status).toBe(404);
    expect(await listed(owner())).not.toContain(client.clientId);
  });

  test("an edit based on an older state is refused with 412 and changes nothing", async () => {
    const clientId = await createClient(owner());
    const before = await answerOf(manage(owner(), "GET", `/api-clients/${clientId}`));
    const tag = before.headers.get("ETag") as string;
    expect(tag).toMatch(/^"\d+"$/);
    for (const foreign of [`W/${tag}`, '"no revision"', tag.slice(1, -1)]) {
      expect([(await change(clientId, foreign, { name: "zeroth" })).status, foreign]).toEqual([412, foreign]);
    }
    const first = await change(clientId, tag, { name: "first" });
    expect(first.status).toBe(200);
    expect(first.headers.get("ETag")).not.toBe(tag);
    for (const stale of [tag, `W/${first.headers.get("ETag")}`, '"no revision"', '"-1"']) {
      expect([(await change(clientId, stale, { name: "second" })).status, stale]).toEqual([412, stale]);
      expect([(await change(clientId, stale, {}, "DELETE")).status, stale]).toEqual([412, stale]);
    }
    expect((await answerOf(manage(owner(), "GET", `/api-clients/${clientId}`))).body).toMatchObject({ name: "first" });
    expect((await change(clientId, "*", { name: "third" })).status).toBe(200);
  });

  test("of 10 parallel edits based on one state, one is made", async () => {
    const clientId = await createClient(owner());
    const tag = (await manage(owner(), "GET", `/api-clients/${clientId}`)).headers.get("ETag") as string;
    const edits = Array.from({ length: 10 }, (_, i) => change(clientId, tag, { name: `name ${i}` }));
    const statuses = (await Promise.all(edits)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
  });

  test("the list comes in pages, newest first, each client once", async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push(await createClient(owner(), { name: `page ${i}` }));
    const seen = await listed(owner(), 2);
    expect(seen.filter((clientId) => made.includes(clientId))).toEqual(made.toReversed());
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("a search finds API clients by a part of their name, description or id", async () => {
    const fields = { name: "Nightly LEDGER", description: "Closes the books" };
    const { clientId } = (await answerOf(manage(owner(), "POST", "/api-clients", fields))).body as { clientId: string };
    for (const text of ["ledger", "Closes the B", clientId.slice(8, 30)]) {
      const { body } = await answerOf(manage(owner(), "GET", `/api-clients?${new URLSearchParams({ search: text })}`));
      const total = { count: 1, isExact: true };
      expect([text, body]).toEqual([text, { items: [expect.objectContaining({ clientId })], total }]);
    }
    expect((await manage(owner(), "GET", "/api-clients?search=")).status).toBe(422);
    expect((await manage(owner(), "GET", "/api-clients?sort=created")).status).toBe(422);
  });

  test("the list is in order of names where that is asked for, also behind the longest of names", async () => {
    const names = ["\u{1f600}".repeat(100), "b", "a"].map((end) => `Sorted ${end}`);
    for (const name of names) await createClient(owner(), { name });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { search: "sorted ", sort: "-name", limit: "1", ...(cursor !== undefined && { cursor }) };
      const { body } = await answerOf(manage(owner(), "GET", `/api-clients?${new URLSearchParams(query)}`));
      const { items, nextCursor } = body as { items: { name: string }[]; nextCursor?: string };
      seen.push(...items.map(({ name }) => name));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([names[0], names[1], names[2]]);
  });

  test.each([UNKNOWN_CLIENT, "client_x", "..%2f..", "%00", "x".repeat(3000)])(
    "an unknown client id is 404 for every operation: %s",
    async (clientId) => {
      const path = `/api-clients/${clientId}`;
      const answers = await Promise.all([
        manage(owner(), "GET", path),
        manage(owner(), "PATCH", path, { name: "x" }),
        manage(owner(), "DELETE", path),
        manage(owner(), "GET", `${path}/key-pairs`),
        manage(owner(), "POST", `${path}/key-pairs`),
        manage(owner(), "POST", `${path}/key-pairs/${UNKNOWN_KEY}/revoke`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    },
  );

  test("each step of a life is recorded once, and what changed nothing is not", async () => {
    const clientId = await createClient(owner());
    const path = `/api-clients/${clientId}`;
    await manage(owner(), "PATCH", path, { scopes: ["audit:read"], description: "reads" });
    const { keyPairId } = await addKey(owner(), clientId);
    const publicKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
    const statuses = [
      await manage(owner(), "POST", `${path}/key-pairs`, { publicKey }),
      await manage(owner(), "POST", `${path}/key-pairs`, { publicKey }),
      await manage(owner(), "PATCH", path, { name: "" }),
      await change(clientId, '"1"', { name: "too late" }),
      await manage(owner(), "POST", `${path}/key-pairs/${keyPairId}/revoke`),
      await manage(owner(), "POST", `${path}/key-pairs/${keyPairId}/revoke`),
      await manage(owner(), "POST", `${path}/key-pairs/${UNKNOWN_KEY}/revoke`),
      await manage(owner(), "DELETE", path),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 409, 422, 412, 200, 200, 404, 204]);
    const afterwards = await Promise.all([
      change(clientId, "*", { name: "gone" }),
      change(clientId, '"1"', {}, "DELETE"),
      manage(owner(), "GET", `${path}/key-pairs`),
      manage(owner(), "POST", `${path}/key-pairs`),
      manage(owner(), "POST", `${path}/key-pairs/${keyPairId}/revoke`),
    ]);
    expect(afterwards.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const recorded = await eventually(
      () => recordsOf(clientId),
      (found) => found.some(({ type }) => type === "api_client.deleted"),
    );
    const details = (fields: object) => expect.objectContaining({ clientId, ...fields });
    expect(recorded.map((record) => ({ type: record.type, details: record.details }))).toEqual([
      { type: "api_client.created", details: details({}) },
      { type: "api_client.deleted", details: details({ revokeTokens: "false" }) },
      { type: "api_client.updated", details: details({ fields: "description scopes" }) },
      { type: "key_pair.added", details: details({ origin: "generated" }) },
      { type: "key_pair.added", details: details({ origin: "registered" }) },
      { type: "key_pair.revoked", details: details({ keyPairId }) },
    ]);
  });

  test("8. a deleted client gets no token; its issued one lives on, or ends with revokeTokens", async () => {
    const lives = await createSigner(owner(), { scopes: ["audit:read"] });
    const ends = await createSigner(owner(), { scopes: ["audit:read"] });
    const tokens = [await issueToken(regions().us, lives), await issueToken(regions().us, ends)] as const;
    expect((await manage(owner(), "DELETE", `/api-clients/${lives.clientId}`)).status).toBe(204);
    expect((await manage(owner(), "DELETE", `/api-clients/${ends.clientId}?revokeTokens=true`)).status).toBe(204);
    expect(await invalidClient(lives)).toEqual({ error: "invalid_client", error_description: "invalid client" });
    const audit = (token: string) =>
      fetch(`${regions().us.url}/api/v1/audit-events`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await audit(tokens[0])).status).toBe(200);
    expect((await audit(tokens[1])).status).toBe(401);
  });

  /** About the client, by type and then by how a key pair came to be. */
  async function recordsOf(clientId: string): Promise<readonly AuditRecord[]> {
    const { body } = await answerOf(manage(owner(), "GET", "/audit-events?limit=200"));
    const { items } = body as { items: AuditRecord[] };
    return items
      .filter(({ details }) => details?.clientId === clientId)
      .toSorted((a, b) => orderOf(a).localeCompare(orderOf(b)));
  }

  async function invalidClient(signer: Signer): Promise<unknown> {
    return (await answerOf(requestToken(regions().us, signer))).body;
  }
}

interface AuditRecord {
  readonly type: string;
  readonly details?: Readonly<Record<string, string>>;
}

function orderOf({ type, details }: AuditRecord): string {
  return `${type} ${details?.origin}`;
}

async function listed(owner: Owner, limit = 100): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor !== undefined && { cursor }) });
    const { body } = await answerOf(manage(owner, "GET", `/api-clients?${query}`));
    const page = body as { items: { clientId: string }[]; nextCursor?: string };
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items.map(({ clientId }) => clientId));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
