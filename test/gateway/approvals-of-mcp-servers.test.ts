import { expect, test } from "vitest";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { approveTool } from "../../lib/pins/decide-pins.ts";
import type { ApprovalRecord } from "../../lib/stores/approvals.ts";
import { STATELESS_META, textOf } from "../behaviour/gateway-fixture.ts";
import { approvalEvent } from "../contract/approval-records.ts";
import { mcpServer, toolOf } from "../proxy/tools/mcp-server.ts";
import { proxyingGateway } from "../proxy/tools/proxying-gateway.ts";

/** A number that no double holds, as it is written. */
const exact = (text: string) => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

test("76. a call of an MCP server is approved with the very number that goes out", async () => {
  const inputSchema = { type: "object", properties: { amount: {} } };
  const server = mcpServer([toolOf("pay", { inputSchema })]);
  const approval = {
    ...{ by: "owners", separate: false, expires: 600_000 },
    // A double of it is no more than that.
    when: "request.mcp.tool.params.arguments.amount > 12345678901234567890.0",
  };
  const it = await proxyingGateway({
    servers: { ledger: server },
    more: { rules: [{ tools: ["pay"], approval }] },
  });
  try {
    const { approvals, directory } = it.dependencies.stores;
    const organizationId = (await directory.firstOrganization())?.organizationId as string;
    const amount = exact("12345678901234567891");
    expect(await it.called("ledger_pay", { amount })).toContain("Waits for approval");
    const now = it.clock.now();
    const { items } = await approvals.listApprovals({ organizationId, now }, { limit: 9 });
    const [record] = items;
    expect(items).toMatchObject([{ arguments: '{"amount":12345678901234567891}', tool: "pay" }]);
    const { approvalId = "", digest = "" } = record ?? {};
    const decision = { approvalId, digest, state: "approved", by: "user_owner", now } as const;
    await approvals.decideApproval(decision, approvalEvent("approval.approved", items[0] as never));
    for (const other of [exact("12345678901234567892"), { rawJSON: "12345678901234567891" }, "12345678901234567891"])
      expect(await it.called("ledger_pay", { amount: other })).toContain("Waits for approval");
    expect(server.calls).toHaveLength(0);
    expect(await it.called("ledger_pay", { amount })).not.toContain("approval");
    expect(server.calls).toHaveLength(1);
    expect((await approvals.approval(approvalId, now))?.state).toBe("consumed");
  } finally {
    await it.close();
  }
});

test("76. an approval is of the version of the tool that was pinned, and of no later one", async () => {
  const MINUTE = 60_000;
  const server = mcpServer([toolOf("pay")]);
  const approval = { by: "owners", separate: false, expires: 60 * MINUTE };
  const it = await proxyingGateway({
    servers: { ledger: server },
    more: { pins: { first: "trust", maxAge: MINUTE }, rules: [{ tools: ["pay"], approval }] },
  });
  try {
    const { approvals, directory, pins } = it.dependencies.stores;
    const organizationId = (await directory.firstOrganization())?.organizationId as string;
    expect(await it.called("ledger_pay")).toContain("Waits for approval");
    const waiting = async () =>
      (await approvals.listApprovals({ organizationId, state: "pending", now: it.clock.now() }, { limit: 9 })).items;
    const [record] = await waiting();
    const { approvalId = "", digest = "" } = record ?? {};
    const decision = { approvalId, digest, state: "approved", by: "user_owner", now: it.clock.now() } as const;
    await approvals.decideApproval(decision, approvalEvent("approval.approved", record as never));
    server.lists([toolOf("pay", { description: "Pays twice." })]);
    it.clock.set(it.clock.now() + MINUTE);
    expect(await it.called("ledger_pay")).toMatch(/cannot be called before an owner approves it/);
    const { tools } = await pins.readPins({ organizationId, app: "ledger" });
    const held = tools.find(({ tool }) => tool === "pay")?.held[0]?.digest ?? expect.fail("it is not held");
    const ports = { ...it.dependencies, organizationOf: async () => organizationId };
    await approveTool(ports, { id: "user_1", organizationId }, "ledger", { digest: held });
    it.clock.set(it.clock.now() + 6_000);
    expect(await it.called("ledger_pay")).toContain("Waits for approval");
    expect(await waiting()).toHaveLength(1);
    expect(server.calls).toHaveLength(0);
  } finally {
    await it.close();
  }
});

test("76. answers to a server's questions are approved with the arguments, and nothing else that an agent adds goes out", async () => {
  const server = mcpServer([toolOf("pay")]);
  const approval = { by: "owners", separate: false, expires: 600_000 };
  const it = await proxyingGateway({
    servers: { ledger: server },
    more: { rules: [{ tools: ["pay"], approval }] },
  });
  try {
    const { approvals, directory } = it.dependencies.stores;
    const organizationId = (await directory.firstOrganization())?.organizationId as string;
    const now = it.clock.now();
    const call = async (more: JsonObject = {}) =>
      textOf(await it.answer("tools/call", { name: "ledger_pay", arguments: {}, ...more }));
    const waiting = async () =>
      (await approvals.listApprovals({ organizationId, state: "pending", now }, { limit: 9 })).items;
    const approve = async (record: ApprovalRecord | undefined) => {
      const { approvalId = "", digest = "" } = record ?? {};
      const decision = { approvalId, digest, state: "approved", by: "user_owner", now } as const;
      await approvals.decideApproval(decision, approvalEvent("approval.approved", record as never));
    };
    expect(await call()).toContain("Waits for approval");
    await approve((await waiting())[0]);
    const answer = (amount: number) => ({ inputResponses: { limit: { action: "accept", content: { amount } } } });
    expect(await call(answer(5))).toContain("Waits for approval");
    expect(await call(answer(6))).toContain("Waits for approval");
    const records = await waiting();
    expect(records.map(({ arguments: given, answers }) => [given, answers]).sort()).toEqual([
      ["{}", '{"limit":{"action":"accept","content":{"amount":5}}}'],
      ["{}", '{"limit":{"action":"accept","content":{"amount":6}}}'],
    ]);
    await approve(records.find(({ answers }) => answers?.includes("6")));
    expect(await call(answer(5))).toContain("Waits for approval");
    expect(server.calls).toHaveLength(0);
    const meta = {
      "example.com/amount": 1_000_000,
      progressToken: "p",
      baggage: "amount=1000000",
      "io.modelcontextprotocol/to": "somebody else",
      tracestate: "to=1000000",
      traceparent: "somebody else",
    };
    const task = { ttl: 60_000, note: "somebody else" };
    const hidden = { _meta: { ...STATELESS_META, ...meta }, task, "example.com/to": "somebody else" };
    expect(await call(hidden)).not.toContain("approval");
    expect(await call({ ...answer(6), ...hidden })).not.toContain("approval");
    expect(server.calls).toHaveLength(2);
    for (const sent of server.calls) {
      expect(JSON.stringify(sent)).toContain('"progressToken"');
      expect(JSON.stringify(sent)).not.toMatch(/1000000|somebody else/);
    }
  } finally {
    await it.close();
  }
});
