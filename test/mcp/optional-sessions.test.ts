import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initialize, request } from "../behaviour/mcp/session.ts";
import { HEADER, type OpenGateway, openGateway } from "./open-gateway.ts";

const UNKNOWN = { [HEADER]: "A".repeat(43) };
let it: OpenGateway;

beforeAll(async () => {
  it = await openGateway({ session: { isOptional: true } });
});
afterAll(() => it.close());

async function answered(response: Response): Promise<{ readonly status: number; readonly body: unknown }> {
  return { status: response.status, body: await response.json() };
}

describe("where no session is required", () => {
  test.each([
    ["ping", {}, {}],
    ["tools/list", {}, { tools: expect.arrayContaining([expect.objectContaining({ name: "listNotes" })]) }],
    ["tools/call", { name: "listNotes", arguments: {} }, { isError: true }],
    ["logging/setLevel", { level: "info" }, {}],
  ])("%s without a session's id is answered, and begins none", async (method, params, result) => {
    const response = await it.post(request(method, params));
    expect(response.headers.get(HEADER)).toBeNull();
    expect(await answered(response)).toMatchObject({ status: 200, body: { id: 1, result } });
  });

  test("a call is recorded, without a session", async () => {
    await (await it.post(request("tools/call", { name: "listNotes", arguments: {} }))).text();
    const { auditLog, directory } = it.dependencies.stores;
    const organizationId = (await directory.firstOrganization())?.organizationId;
    const { items } = await auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 1 });
    expect(items).toMatchObject([{ tool: "listNotes", outcome: "upstream_error" }]);
    expect(items[0]?.details ?? {}).not.toHaveProperty("sessionId");
  });

  test("initialize begins a session, whose requests are of it", async () => {
    const begun = await it.post(initialize());
    await begun.text();
    const session = { [HEADER]: begun.headers.get(HEADER) ?? "" };
    expect(session[HEADER]).not.toBe("");
    expect((await answered(await it.post(request("ping", {}), session))).status).toBe(200);
  });

  test.each([
    ["a request with an id that nobody has", () => it.post(request("ping", {}), UNKNOWN), 404],
    ["a request with an empty id", () => it.post(request("ping", {}), { [HEADER]: "" }), 400],
    ["a stream without an id", () => it.get({}), 400],
    ["an end without an id", () => it.send("/mcp", { method: "DELETE" }), 400],
    ["a notification without an id", () => it.post({ jsonrpc: "2.0", method: "notifications/initialized" }), 202],
  ] as const)("%s is answered by its status", async (_, send, status) => {
    const response = await send();
    await response.text();
    expect(response.status).toBe(status);
  });
});
