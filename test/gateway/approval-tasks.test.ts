import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { taskEnd } from "../../lib/gateway/approval-task.ts";
import { ulid } from "../../lib/kernel/ids.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import type { ApprovalRecord, Approvals } from "../../lib/stores/approvals.ts";
import { type RpcAnswer, textOf } from "../behaviour/gateway-fixture.ts";
import { approval, approvalEvent } from "../contract/approval-records.ts";
import { auditEvent } from "../contract/records.ts";
import { type McpServer, mcpServer, toolOf } from "../proxy/tools/mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "../proxy/tools/proxying-gateway.ts";

const MINUTE = 60_000;
const BY_TASK = { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: { url: {} }, sampling: {} };
const TOOL = toolOf("pay", { inputSchema: { type: "object", properties: { amount: {} } } });

let server: McpServer;
let it: ProxyingGateway;
/** What the server answers the next calls with, besides `jsonrpc` and `id`; undefined: that it was called. */
let answer: JsonObject | undefined;
/** Happens once, after an approval was read. */
let afterReading: (() => Promise<unknown>) | undefined;

beforeEach(async () => {
  [answer, afterReading] = [undefined, undefined];
  const calling = mcpServer([TOOL]);
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await calling.fetch(input, init);
    const { method, id } = (await new Request(input, init).json()) as JsonObject;
    return answer === undefined || method !== "tools/call"
      ? response
      : Response.json({ jsonrpc: "2.0", id, ...answer });
  };
  server = { ...calling, fetch };
  const byOwners = { by: "owners", separate: false, expires: 10 * MINUTE };
  it = await proxyingGateway({
    servers: { ledger: server },
    more: { pins: { first: "trust", maxAge: MINUTE }, rules: [{ tools: ["pay"], approval: byOwners }] },
    adapt: (dependencies) => {
      const { approvals } = dependencies.stores;
      const reading: Approvals = {
        ...approvals,
        approval: async (...args) => {
          const record = await approvals.approval(...args);
          const then = afterReading;
          afterReading = undefined;
          await then?.();
          return record;
        },
      };
      return { ...dependencies, stores: { ...dependencies.stores, approvals: reading } };
    },
  });
});
afterEach(() => it.close());

const send = (method: string, params: JsonObject): Promise<RpcAnswer> =>
  it.answer(method, { ...params, _meta: { "io.modelcontextprotocol/clientCapabilities": BY_TASK } });

/** A call that waits, by the id of its task. */
async function waiting(given: JsonObject = {}): Promise<string> {
  const { result } = await send("tools/call", { name: "ledger_pay", arguments: given });
  expect(result).toMatchObject({ resultType: "task", status: "working" });
  return String((result as JsonObject | undefined)?.taskId);
}

async function approved(given?: JsonObject): Promise<string> {
  const taskId = await waiting(given);
  const { approvals } = it.dependencies.stores;
  const now = it.clock.now();
  const record = (await recordOf(taskId)) as ApprovalRecord;
  const decision = { approvalId: taskId, digest: record.digest, state: "approved", by: "user_owner", now } as const;
  await approvals.decideApproval(decision, approvalEvent("approval.approved", record));
  return taskId;
}

const recordOf = (taskId: string) => it.dependencies.stores.approvals.approval(taskId, it.clock.now());
const get = async (taskId: string) => (await send("tasks/get", { taskId })).result as unknown as JsonObject;
const pending = async () => {
  const { approvals, directory } = it.dependencies.stores;
  const organizationId = (await directory.firstOrganization())?.organizationId as string;
  return (await approvals.listApprovals({ organizationId, state: "pending", now: it.clock.now() }, { limit: 9 })).items;
};
const textIn = ({ result }: JsonObject) => textOf({ result } as unknown as RpcAnswer);

test.each<readonly [string, Partial<ApprovalRecord>, number]>([
  ["waits", {}, 2],
  ["was approved", { state: "approved", decidedAt: MINUTE / 2, expiresAt: 1.5 * MINUTE }, 2.5],
  ["runs past that", { state: "consumed", decidedAt: 0, expiresAt: MINUTE, begunAt: MINUTE / 2 }, 11.5],
  ["has expired", { state: "expired", lifetime: 120 * MINUTE, expiresAt: 120 * MINUTE }, 180],
])("76. a task that %s can be asked about until it is forgotten, and no shorter than it runs", (_, fields, minutes) => {
  const record = approval({ requestedAt: 0, lifetime: MINUTE, expiresAt: MINUTE, ...fields });
  expect(taskEnd(record) / MINUTE).toBe(minutes);
});

describe("76. the task of a call of an MCP server", () => {
  test("has the number that was approved go out, of an agent that answers no questions, and says what became of it", async () => {
    const amount = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("12345678901234567891");
    const taskId = await approved({ amount });
    expect((await recordOf(taskId))?.arguments).toBe('{"amount":12345678901234567891}');
    for (let i = 0; i < 2; i++) expect(textIn(await get(taskId))).toBe("called pay");
    expect(server.calls).toHaveLength(1);
    const { _meta: meta } = server.calls[0]?.params ?? {};
    expect((meta as JsonObject)["io.modelcontextprotocol/clientCapabilities"]).toEqual({});
    expect(await recordOf(taskId)).toMatchObject({ state: "consumed" });
  });

  test.each([
    ["an error", { error: { code: -32_050, message: "No money." } }, { status: "failed", statusMessage: "No money." }],
    ["a result that is an error", { result: { isError: true, content: [] } }, { result: { isError: true } }],
    [
      "a question",
      { result: { resultType: "input_required", inputRequests: {} } },
      { result: { isError: true, content: [{ text: expect.stringContaining("asked for more") }] } },
    ],
    [
      "another task",
      { result: { resultType: "task", taskId: "1", status: "working" } },
      { result: { isError: true, content: [{ text: expect.stringContaining("asked for more") }] } },
    ],
  ])("ends with %s, and says so as often as it is asked", async (_, answered, expected) => {
    answer = answered;
    const taskId = await approved();
    for (let i = 0; i < 2; i++) expect(await get(taskId)).toMatchObject({ status: "completed", ...expected });
    expect(server.calls).toHaveLength(1);
  });

  test("gives once what is too long to be kept", async () => {
    const text = "x".repeat(70_000);
    answer = { result: { content: [{ type: "text", text }] } };
    const taskId = await approved();
    expect(textIn(await get(taskId))).toBe(text);
    expect(textIn(await get(taskId))).toContain("more than the 65536 bytes that are kept");
    expect(server.calls).toHaveLength(1);
  });

  test("ends with why the call would be refused now, and makes it no more; the agent itself may", async () => {
    const taskId = await approved();
    server.lists([{ ...TOOL, description: "Pays twice." }]);
    it.clock.set(it.clock.now() + MINUTE);
    expect(textIn(await get(taskId))).toContain("before an owner approves it");
    server.lists([TOOL]);
    it.clock.set(it.clock.now() + MINUTE);
    expect(textIn(await get(taskId))).toContain("before an owner approves it");
    expect([server.calls.length, (await recordOf(taskId))?.state]).toEqual([0, "approved"]);
    expect(textOf(await send("tools/call", { name: "ledger_pay", arguments: {} }))).toBe("called pay");
    expect(textIn(await get(taskId))).toContain("before an owner approves it");
    expect(await pending()).toEqual([]);
  });

  test("asks nobody for another approval where the approval is withdrawn, or used, in between", async () => {
    const cancelled = await approved({ amount: 1 });
    afterReading = () => send("tasks/cancel", { taskId: cancelled });
    expect(await get(cancelled)).toMatchObject({ status: "cancelled" });
    const used = await approved({ amount: 2 });
    afterReading = () => get(used);
    expect(textIn(await get(used))).toBe("called pay");
    expect([server.calls.length, await pending()]).toEqual([1, []]);
  });

  test("knows of a call that the agent made without it, also without the extension", async () => {
    const calls = [() => send("tools/call", { name: "ledger_pay", arguments: {} }), () => it.called("ledger_pay")];
    for (const call of calls) {
      const taskId = await approved();
      expect(JSON.stringify(await call())).toContain("called pay");
      expect(textIn(await get(taskId))).toContain("made by another request");
    }
    expect(server.calls).toHaveLength(2);
  });

  test("does not know what became of a call whose process ended, and does not make it again", async () => {
    const taskId = await approved();
    const record = (await recordOf(taskId)) as ApprovalRecord;
    const now = it.clock.now();
    const intent = auditEvent({ id: ulid(now, it.dependencies.random), time: now, type: "tool.invoked" });
    const use = { approvalId: taskId, digest: record.digest, now };
    const { approvals } = it.dependencies.stores;
    expect(await approvals.consumeApproval(use, intent, approvalEvent("approval.consumed", record))).toBe(true);
    expect(await get(taskId)).toMatchObject({
      status: "working",
      statusMessage: expect.stringContaining("being made"),
    });
    it.clock.set(now + 10 * MINUTE);
    expect(textIn(await get(taskId))).toContain("unknown");
    expect(server.calls).toHaveLength(0);
  });

  test("is over when nobody decides, and forgotten after that", async () => {
    const taskId = await waiting();
    it.clock.set(it.clock.now() + 10 * MINUTE);
    expect(textIn(await get(taskId))).toContain("nobody approved it in time");
    it.clock.set(it.clock.now() + 10 * MINUTE);
    expect((await send("tasks/get", { taskId })).error?.code).toBe(-32_602);
  });

  test("is not for an agent without the extension, which waits in words for the same approval", async () => {
    const taskId = await waiting();
    expect(await it.called("ledger_pay")).toContain(`Waits for approval by an owner of the organization: ${taskId}`);
    const { error } = await it.answer("tasks/get", { taskId });
    expect(error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
    });
    for (const one of [taskId, "another"])
      expect((await it.send("tasks/get", { taskId: one }, { accept: "application/json" })).status).toBe(400);
  });
});
