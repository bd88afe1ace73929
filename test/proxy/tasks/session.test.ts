import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ISSUER } from "../../support/in-process.ts";
import { type ProxyGateway, proxyGateway } from "../channel/gateway.ts";
import { taskServer } from "./task-server.ts";

/** Two of an SDK's servers with tasks (MCP 2025-11-25), the gateway before both, and the SDK's client. */
const SERVERS = { ledger: taskServer("ledger"), archive: taskServer("archive") };
const RELATED = "io.modelcontextprotocol/related-task";

let it: ProxyGateway;
let client: Client;
const related: unknown[] = [];
beforeAll(async () => {
  const fetch: typeof globalThis.fetch = (input, init) => {
    const [name] = new URL(String(input)).hostname.split(".");
    return SERVERS[name as keyof typeof SERVERS].fetch(input, init);
  };
  const urls = Object.keys(SERVERS).map((name) => [name, `http://${name}.example/mcp`]);
  it = await proxyGateway(Object.fromEntries(urls), (dependencies) => ({ ...dependencies, outbound: () => fetch }));
  client = new Client({ name: "agent", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params: { _meta = {} } }) => {
    related.push(_meta[RELATED]);
    return { action: "accept" as const, content: { name: "Alice" }, _meta: { [RELATED]: _meta[RELATED] } };
  });
  const send: typeof globalThis.fetch = (input, init) => it.send(new URL(String(input)).pathname, init);
  // The SDK's own class fits its own interface only without exactOptionalPropertyTypes.
  await client.connect(new StreamableHTTPClientTransport(new URL(`${ISSUER}/mcp`), { fetch: send }) as Transport);
  await client.listTools();
});
afterAll(async () => {
  await client.close();
  await it.close();
});

const tasks = () => client.experimental.tasks;

/** Begins a task. */
async function begin(name: string): Promise<string> {
  const { task } = (
    await it.ask(
      { jsonrpc: "2.0", id: crypto.randomUUID(), method: "tools/call", params: { name, arguments: {}, task: {} } },
      session(),
    )
  ).result as unknown as { task: { taskId: string } };
  return task.taskId;
}

function session(): Readonly<Record<string, string>> {
  const { sessionId = "" } = client.transport as StreamableHTTPClientTransport;
  return { "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25" };
}

test.each(["ledger", "archive"] as const)(
  "a task of %s is followed to its end, by the id that agents see",
  async (name) => {
    related.length = 0;
    const told: { type: string; task?: { taskId: string } }[] = [];
    let result: unknown;
    for await (const message of tasks().callToolStream({ name: `${name}_ask`, arguments: {} })) {
      if (message.type === "result") result = message.result;
      else told.push(message);
    }
    const [id = ""] = new Set(told.map(({ task }) => task?.taskId));
    expect(id.startsWith(`${name}+`)).toBe(true);
    expect(told.every(({ task }) => task?.taskId === id)).toBe(true);
    expect(result).toMatchObject({ content: [{ text: `${name}: Alice` }], _meta: { [RELATED]: { taskId: id } } });
    expect(related).toEqual([{ taskId: id }]);
    // The upstream has heard of it by its own id alone, also in the answer to what it asked.
    const own = id.slice(name.length + 1);
    const answer = SERVERS[name].received.find((text) => text.includes("Alice"));
    expect(JSON.parse(answer ?? "{}").result._meta).toEqual({ [RELATED]: { taskId: own } });
    expect(SERVERS[name].received.some((text) => text.includes(id))).toBe(false);
  },
);

test("tasks of all apps are listed together, and one is cancelled where it is", async () => {
  const begun = [await begin("ledger_ask"), await begin("archive_ask")];
  const { tasks: listed, nextCursor } = await tasks().listTasks();
  expect(listed.map(({ taskId }) => taskId)).toEqual(expect.arrayContaining(begun));
  expect(nextCursor).toBeUndefined();
  for (const taskId of begun) {
    expect(await tasks().cancelTask(taskId)).toMatchObject({ taskId, status: "cancelled" });
    expect(await tasks().getTask(taskId)).toMatchObject({ taskId, status: "cancelled" });
  }
  await expect(tasks().listTasks("next")).rejects.toThrow(/cursor/);
});

test("a notification that is related to a task reaches its app alone, by the app's own id", async () => {
  const taskId = await begin("ledger_ask");
  const method = "notifications/vendor";
  await client.notification({ method, params: { _meta: { [RELATED]: { taskId } } } });
  const heard = Object.values(SERVERS).map(({ received }) => received.filter((text) => text.includes(method)));
  expect(heard.map((texts) => texts.map((text) => JSON.parse(text).params._meta[RELATED].taskId))).toEqual([
    [taskId.slice("ledger+".length)],
    [],
  ]);
});

test("an id that names no app, and none at all, are refused before any upstream hears of them", async () => {
  const before = Object.values(SERVERS).map(({ received }) => received.length);
  await expect(tasks().getTask("786512e2")).rejects.toThrow(/There is no task of this id/);
  const { error } = await it.ask({ jsonrpc: "2.0", id: 1, method: "tasks/cancel", params: {} }, session());
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("params.taskId") });
  expect(Object.values(SERVERS).map(({ received }) => received.length)).toEqual(before);
});
