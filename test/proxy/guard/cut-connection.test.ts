import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { textOf } from "../../behaviour/gateway-fixture.ts";
import { messagesOf } from "../../behaviour/mcp/events.ts";
import { request } from "../../behaviour/mcp/session.ts";
import { freePort } from "../../support/free-port.ts";
import { type GuardedProxy, guardedProxy } from "../security/guarded-proxy.ts";
import { toolOf } from "../tools/mcp-server.ts";

interface Answerable {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

/** Methods and names of tools whose connections are cut when all of the request is there. */
let cut: ReadonlySet<string | undefined>;
let carriedOut: number;
const server = createServer(async (incoming, response) => answer(incoming, response, JSON.parse(await text(incoming))));

let it: GuardedProxy;
beforeEach(async () => {
  [cut, carriedOut] = [new Set(["kill"]), 0];
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  it = await guardedProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
});
afterEach(async () => {
  await it.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const RESULTS: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} } },
  "server/discover": { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
  "tools/list": { resultType: "complete", tools: ["kill", "fine"].map((name) => toolOf(name)), ttlMs: 60_000 },
  "tools/call": { resultType: "complete", content: [{ type: "text", text: "done" }] },
};

function answer({ socket }: IncomingMessage, response: ServerResponse, { id, method = "", params }: Answerable): void {
  if (method === "tools/call") carriedOut += 1;
  if (cut.has(method) || cut.has(params?.name)) socket.destroy();
  else if (id === undefined) response.writeHead(202).end();
  else {
    const body = JSON.stringify({ jsonrpc: "2.0", id, result: RESULTS[method] ?? {} });
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "a-session" }).end(body);
  }
}

/** Calls in one session of the agent, and without any. */
async function callers(subject: string) {
  const token = await it.token({ subject });
  const session = await it.open(token);
  const inSession = async (name: string) => {
    const answers = await messagesOf(await it.post(request("tools/call", { name, arguments: {} }), token, session));
    return answers.find(({ method }) => method === undefined);
  };
  const alone = (name: string) => it.ask("tools/call", { name, arguments: {} }, token);
  return { inSession, alone };
}

async function records() {
  const { auditLog, directory } = it.dependencies.stores;
  const { organizationId = "" } = (await directory.firstOrganization()) ?? {};
  return (await auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 10 })).items;
}

const said = (message: Awaited<ReturnType<GuardedProxy["ask"]>>) => textOf(message as Parameters<typeof textOf>[0]);

test.each(["inSession", "alone"] as const)(
  "a call whose connection is cut before any answer may have been carried out: %s",
  async (how) => {
    const alice = await callers("user_alice");
    expect(said(await alice[how]("ledger_kill"))).toBe(
      "The connection to the upstream broke off before an answer came. Before you repeat the call, find out whether it took effect.",
    );
    expect(carriedOut).toBe(1);
    expect(await records()).toMatchObject([{ outcome: "upstream_error", reason: "broken_off" }]);
  },
);

test("calls of one agent whose connections are cut stop nobody's calls, and those of two do", async () => {
  const [alice, bob] = [await callers("user_alice"), await callers("user_bob")];
  for (let calls = 0; calls < 5; calls++) await alice.inSession("ledger_kill");
  expect(said(await bob.inSession("ledger_fine"))).toBe("done");
  for (let calls = 0; calls < 4; calls++) await alice.inSession("ledger_kill");
  await bob.inSession("ledger_kill");
  expect(said(await bob.inSession("ledger_fine"))).toMatch(/did not answer repeatedly/);
});

test("a connection that is cut says nothing of the generation that the server speaks", async () => {
  const alice = await callers("user_alice");
  cut = new Set(["server/discover"]);
  expect(said(await alice.alone("ledger_fine"))).toMatch(/broke off before an answer came/);
  cut = new Set(["initialize"]);
  expect(said(await alice.alone("ledger_fine"))).toBe("done");
});

test("a server that is not there stops the calls of all when those of one were refused", async () => {
  await it.close();
  it = await guardedProxy(`http://127.0.0.1:${await freePort()}/mcp`);
  const [alice, bob] = [await callers("user_alice"), await callers("user_bob")];
  const text = said(await alice.alone("ledger_fine"));
  expect(text).toBe("The upstream could not be reached: the connection was refused.");
  for (let calls = 0; calls < 4; calls++) await alice.alone("ledger_fine");
  expect(said(await bob.alone("ledger_fine"))).toMatch(/did not answer repeatedly/);
});
