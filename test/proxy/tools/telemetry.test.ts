import { beforeEach, expect, test, vi } from "vitest";
import type { Gateway } from "../../../lib/application/gateway.ts";
import { type Identity, principalOf } from "../../../lib/gateway/identity.ts";
import { startOperations } from "../../../lib/mcp/operations.ts";
import { createCatalogs } from "../../../lib/upstream/catalog/catalogs.ts";
import { exposeList } from "../../../lib/upstream/catalog/expose-list.ts";
import { readList } from "../../../lib/upstream/catalog/read-list.ts";
import { request } from "../../behaviour/mcp/session.ts";
import { toolOf } from "./mcp-server.ts";
import { proxyApp } from "./proxying-gateway.ts";

const ALICE = { issuer: "https://issuer.example", agent: { clientID: "agent" }, user: { sub: "alice" } };

const apps = [proxyApp("ledger"), proxyApp("ledger_eu"), proxyApp("plain", { namespace: "" })];
let gateway: Gateway;
beforeEach(() => {
  const catalogs = createCatalogs({ now: () => 0 });
  gateway = { tools: new Map(), search: undefined, proxies: { apps, catalogs } } as unknown as Gateway;
});

/** Alice has asked for this app's list. */
async function listed(name: string, tool: string): Promise<void> {
  const app = apps.find((one) => one.name === name) ?? expect.fail();
  const load = async () => exposeList("tools", app, await readList("tools", async () => ({ tools: [toolOf(tool)] })));
  const key = { app: name, principal: principalOf(ALICE as unknown as Identity), kind: "tools" } as const;
  await gateway.proxies.catalogs.get(key, { load, waitUntil: () => undefined, deadline: 1_000 });
}

/** What telemetry says of a call: the span's name, tool and app. */
function told(name: string): readonly unknown[] {
  const record = vi.fn();
  const startChild = vi.fn();
  const telemetry = { span: { startChild }, record, atEnd: (work: () => void) => work() };
  startChild.mockReturnValue({ set: () => undefined, end: () => undefined });
  const from = { request: { telemetry } } as unknown as Parameters<typeof startOperations>[2];
  startOperations(request("tools/call", { name }), new Headers(), from, gateway);
  const attributes = record.mock.calls[0]?.[2];
  return [startChild.mock.calls[0]?.[0].name, attributes["gen_ai.tool.name"], attributes["countersign.app"]];
}

test("telemetry names a tool that an MCP server listed, and its app", async () => {
  await listed("ledger", "pay");
  await listed("plain", "read");
  expect(told("ledger_pay")).toEqual(["tools/call ledger_pay", "ledger_pay", "ledger"]);
  expect(told("read")).toEqual(["tools/call read", "read", "plain"]);
});

test("telemetry repeats no name that a caller may have made up, and tells the app where the namespace does", async () => {
  await listed("ledger", "pay");
  expect(told("ledger_paid")).toEqual(["tools/call", undefined, "ledger"]);
  expect(told("ledger_eu_pay")).toEqual(["tools/call", undefined, undefined]);
  expect(told("anything")).toEqual(["tools/call", undefined, undefined]);
});
