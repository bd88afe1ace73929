import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request } from "../behaviour/mcp/session.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
beforeAll(async () => {
  it = await openGateway();
});
afterAll(() => it.close());

describe("a revision that is not served", () => {
  const REVISION = "mcp-protocol-version";

  test.each(["bogus", "2023-01-01", "2026-07-28", ""])(
    "%j is refused by every method, and ends nothing",
    async (named) => {
      const session = await it.open();
      const headers = { ...session, [REVISION]: named };
      for (const response of [await it.get(headers), await it.send("/mcp", { method: "DELETE", headers })]) {
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("2025-11-25") } });
      }
      expect((await it.post(request("ping"), session)).status).toBe(200);
    },
  );

  test("is none where another one than the session's own, or none, is named", async () => {
    const all: readonly Readonly<Record<string, string>>[] = [{ [REVISION]: "2025-03-26" }, {}];
    for (const named of all) {
      const headers = { ...(await it.open()), ...named };
      const stream = await it.get(headers);
      expect(stream.status).toBe(200);
      await stream.body?.cancel();
      expect((await it.send("/mcp", { method: "DELETE", headers })).status).toBe(204);
    }
  });
});

describe("a form of answers", () => {
  test.each([
    ["application/json;q=0, text/event-stream", "text/event-stream"],
    ["application/json, text/event-stream;q=0", "application/json"],
    ["application/json; q=0.000 , */*", "text/event-stream"],
    ["text/event-stream;Q=0, */*;q=0.1", "application/json"],
    ["text/event-stream, text/*;q=0, application/*;q=0", "text/event-stream"],
  ])("with the weight 0 is not taken: %s", async (accept, type) => {
    const session = await it.open();
    const call = request("tools/call", { name: "listTags", arguments: {} });
    const response = await it.post(call, { ...session, accept });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain(type);
    await response.text();
  });

  test.each(["*/*;q=0", "application/json;q=0.0, text/event-stream;q=0"])("is wanted by none of %s", async (accept) => {
    const session = await it.open();
    expect((await it.post(request("ping"), { ...session, accept })).status).toBe(406);
  });

  test("is taken whatever other parameters and weights there are", async () => {
    const session = await it.open();
    for (const accept of ["application/json;q=0.001", 'application/json;a="q=0"', "application/json;q=1.0;level=0"])
      expect((await it.post(request("ping"), { ...session, accept })).status).toBe(200);
    const stream = await it.get({ ...session, accept: "text/event-stream;q=0" });
    expect(stream.status).toBe(406);
  });
});

describe("an error of what an agent could not read", () => {
  const error = { code: -32600, message: "Invalid request" };

  test.each([{ error }, { id: null, error }])("is accepted as answers are: %j", async (answer) => {
    const response = await it.post({ jsonrpc: "2.0", ...answer }, await it.open());
    expect(response.status).toBe(202);
    expect(await response.text()).toBe("");
  });

  test.each([{ result: {} }, { error: "no" }, { error, result: {} }, { error, id: {} }])(
    "is not what looks like it: %j",
    async (answer) => {
      expect((await it.post({ jsonrpc: "2.0", ...answer }, await it.open())).status).toBe(400);
    },
  );
});
