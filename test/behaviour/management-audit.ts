import { expect, test } from "vitest";
import { answerOf, createClient, createSigner, issueToken, manage, type Owner } from "./fixture.ts";

interface Shown {
  readonly id: string;
  readonly time: string;
  readonly type: string;
  readonly details?: { readonly clientId?: string };
  readonly names?: Readonly<Record<string, string>>;
}

/** The audit log as its readers see it. */
export function auditEvents(owner: () => Owner): void {
  const read = (token: string, path = "/audit-events", init: RequestInit = {}) =>
    answerOf(
      fetch(`${owner().region.url}/api/v1${path}`, {
        ...init,
        headers: { Authorization: `Bearer ${token}`, ...init.headers },
      }),
    );

  test("a change is in the audit log, with who made it and the request it was made by", async () => {
    const response = await manage(owner(), "POST", "/api-clients", { name: "audited" });
    const { clientId } = (await response.json()) as { clientId: string };
    const { userId } = (await answerOf(manage(owner(), "GET", "/me"))).body as { userId: string };
    const created = async () =>
      (await everything(owner(), "type=api_client.created")).find(({ details }) => details?.clientId === clientId);
    await expect.poll(created).toMatchObject({
      outcome: "success",
      actor: userId,
      requestId: response.headers.get("X-Request-Id"),
      region: "us",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  test("the log comes in pages, newest first, each record once", async () => {
    for (let i = 0; i < 5; i++) await createClient(owner());
    const paged = await everything(owner(), "type=api_client.created", 3);
    const whole = await everything(owner(), "type=api_client.created", 200);
    expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(paged.map(({ time }) => time)).toEqual(
      paged
        .map(({ time }) => time)
        .toSorted()
        .toReversed(),
    );
    expect(paged.length).toBeGreaterThanOrEqual(5);
  });

  test("the first page says how many records match, if it is asked to", async () => {
    await createClient(owner());
    const all = await everything(owner(), "type=api_client.created");
    const list = async (query: string) => (await answerOf(manage(owner(), "GET", `/audit-events?${query}`))).body;
    const first = await list("type=api_client.created&limit=1&total=true");
    expect(first).toMatchObject({ total: { count: all.length, isExact: true } });
    const { nextCursor = "" } = first as { readonly nextCursor?: string };
    const next = await list(`type=api_client.created&limit=1&total=true&cursor=${encodeURIComponent(nextCursor)}`);
    expect([next, await list("limit=1")].map((page) => Object.hasOwn(page as object, "total"))).toEqual([false, false]);
    const refused = await answerOf(manage(owner(), "GET", "/audit-events?total=yes"));
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: "/total" }] } });
  });

  test("filters narrow by type and by time", async () => {
    await createClient(owner());
    const all = await everything(owner(), "type=api_client.created");
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(["api_client.created"]));
    const newest = all[0] as Shown;
    expect(await everything(owner(), `type=api_client.created&to=${newest.time}`)).not.toContainEqual(newest);
    expect(await everything(owner(), `type=api_client.created&from=${newest.time}`)).toContainEqual(newest);
    expect(await everything(owner(), "from=2100-01-01T00:00:00Z")).toEqual([]);
    expect(await everything(owner(), "user=nobody")).toEqual([]);
    for (const type of ["resource.read", "prompt.got"]) expect(await everything(owner(), `type=${type}`)).toEqual([]);
  });

  test("one record is found by its id, and those of a request by the request's", async () => {
    const response = await manage(owner(), "POST", "/api-clients", { name: "one record" });
    const requestId = response.headers.get("X-Request-Id") ?? "";
    const [created] = await everything(owner(), `requestId=${requestId}`);
    expect(created).toMatchObject({ type: "api_client.created" });
    const { id = "" } = created ?? {};
    expect(await everything(owner(), `q=${requestId.slice(0, -2).toLowerCase()}`)).toContainEqual(created);
    expect(await everything(owner(), `q=${id.toLowerCase()}`)).toEqual([created]);
    const one = (path: string) => answerOf(manage(owner(), "GET", `/audit-events/${path}`));
    expect(await one(id)).toMatchObject({ status: 200, body: created as object });
    const other = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
    for (const unknown of [other, "x", `${id}?instance=true`]) expect((await one(unknown)).status).toBe(404);
    expect((await one(`${id}?q=x`)).status).toBe(422);
  });

  test("records say what those in them were called, also when they are gone", async () => {
    const name = `=gone ${"é".repeat(80)}`;
    const signer = await createSigner(owner(), { name, scopes: ["audit:read"] });
    await issueToken(owner().region, signer);
    const { userId } = (await answerOf(manage(owner(), "GET", "/me"))).body as { userId: string };
    expect((await manage(owner(), "DELETE", `/api-clients/${signer.clientId}`)).status).toBe(204);
    const found = () => everything(owner(), `q=${encodeURIComponent("=GONE É")}`);
    const types = ["api_client.deleted", "token.issued", "key_pair.added", "api_client.created"];
    await expect.poll(async () => (await found()).map(({ type }) => type)).toEqual(types);
    for (const { type, names } of await found())
      expect([type, names]).toEqual([
        type,
        { [signer.clientId]: name, ...(type !== "token.issued" && { [userId]: "owner@example.com" }) },
      ]);
  });

  test("the log is exported whole as JSON Lines and as CSV", async () => {
    const filter = "type=api_client.created";
    const whole = await everything(owner(), filter);
    const get = (accept: string) =>
      fetch(`${owner().region.url}/api/v1/audit-events?${filter}`, {
        headers: { Cookie: owner().cookie, Accept: accept },
      });
    const lines = await get("application/jsonl");
    expect(lines.headers.get("Content-Type")).toBe("application/jsonl");
    expect(lines.headers.get("Cache-Control")).toBe("no-store");
    expect(
      (await lines.text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(whole);
    const table = await get("text/csv");
    expect(table.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    const rows = (await table.text()).trim().split("\r\n");
    expect(rows[0]).toMatch(/^id,time,type,outcome,/);
    expect(rows).toHaveLength(whole.length + 1);
  });

  test("an API client with audit:read reads the log, and can do nothing else here", async () => {
    const token = await issueToken(owner().region, await createSigner(owner(), { scopes: ["audit:read"] }));
    expect((await read(token)).status).toBe(200);
    const clientId = await createClient(owner());
    const json = { "Content-Type": "application/json" };
    const refused = await Promise.all([
      read(token, "/me"),
      read(token, "/api-clients"),
      read(token, "/api-clients", { method: "POST", headers: json, body: '{"name":"x"}' }),
      read(token, `/api-clients/${clientId}`),
      read(token, `/api-clients/${clientId}`, { method: "PATCH", headers: json, body: '{"name":"x"}' }),
      read(token, `/api-clients/${clientId}`, { method: "DELETE" }),
      read(token, `/api-clients/${clientId}/key-pairs`, { method: "POST" }),
      read(token, "/audit-events?instance=true"),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 403));
  });

  test("32. an API client without audit:read is refused and told what it lacks", async () => {
    const token = await issueToken(owner().region, await createSigner(owner(), { scopes: ["tools:read"] }));
    const answer = await read(token);
    expect(answer.status).toBe(403);
    expect(answer.headers.get("WWW-Authenticate")).toBe(
      'Bearer realm="countersign", error="insufficient_scope", scope="audit:read"',
    );
  });

  test("23. a token for the gateway opens no door here, nor does what is no token", async () => {
    const resource = `${owner().region.url}/mcp`;
    const signer = await createSigner(owner(), { scopes: ["audit:read", "books:read"], resources: [resource] });
    const token = await issueToken(owner().region, signer, { resource });
    for (const text of [token, `${token}x`, "x", "a b"]) {
      const answer = await read(text);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="countersign", error="invalid_token"');
    }
  });

  test("23. credentials of another scheme are no token: the challenge tells of none", async () => {
    for (const Authorization of ["Basic abc", "DPoP x", "x"]) {
      const answer = await read("", "/audit-events", { headers: { Authorization } });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="countersign"');
    }
  });

  test("a cookie beside a bad bearer token does not help", async () => {
    const answer = await read("x", "/audit-events", { headers: { Cookie: owner().cookie } });
    expect(answer.status).toBe(401);
  });

  test("53. the numbers of old records are read by days", async () => {
    const counts = (query: string) => answerOf(manage(owner(), "GET", `/audit-counts${query}`));
    expect(await counts("")).toMatchObject({ status: 200, body: { items: [] } });
    expect(await counts("?from=2026-01-01&to=2026-12-31&instance=true")).toMatchObject({ status: 200 });
    for (const query of ["?from=2025-01-01&to=2026-12-31", "?from=yesterday", "?day=2026-01-01"])
      expect((await counts(query)).status).toBe(422);
  });

  test("owners of the first organization see the records of the instance, others' records stay apart", async () => {
    await fetch(`${owner().region.url}/api/v1/sign-in/link`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: "B".repeat(43) }),
    });
    const instance = await everything(owner(), "instance=true&type=sign_in.refused");
    expect(instance.length).toBeGreaterThan(0);
    expect(await everything(owner(), "type=sign_in.refused")).toEqual([]);
  });
}

async function everything(owner: Owner, query: string, limit = 200): Promise<readonly Shown[]> {
  const found: Shown[] = [];
  let cursor = "";
  do {
    const { status, body } = await answerOf(manage(owner, "GET", `/audit-events?${query}&limit=${limit}${cursor}`));
    expect(status).toBe(200);
    const page = body as { items: Shown[]; nextCursor?: string };
    found.push(...page.items);
    cursor = page.nextCursor === undefined ? "" : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== "");
  return found;
}
