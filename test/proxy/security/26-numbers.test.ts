import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "../../behaviour/mcp/session.ts";
import { type SessionUpstream, startSessionUpstream } from "../channel/session-upstream.ts";
import { type GuardedProxy, guardedProxy } from "./guarded-proxy.ts";

let upstream: SessionUpstream;
let it: GuardedProxy;
beforeAll(async () => {
  upstream = await startSessionUpstream({ said: { capabilities: { tools: {} } } });
  const expression = "request.mcp.tool.params.arguments.account == 9007199254740992.0";
  it = await guardedProxy(upstream.url, { policies: [{ engine: "cel", name: "cel", expression }] });
});
afterAll(async () => {
  await it.close();
  await upstream.close();
});

async function called(account: string): Promise<string> {
  const token = await it.token();
  const headers = await it.open(token);
  const body = JSON.stringify(request("tools/call", { name: "ledger_pay", arguments: { account: 0 } }));
  return (await it.post(body.replace('"account":0', `"account":${account}`), token, headers)).text();
}

test("26. a number that policies cannot read as it was written reaches no upstream", async () => {
  expect(await called("9007199254740993")).toContain("more digits than policies can read");
  expect(upstream.came.map(({ text }) => text).join()).not.toContain("9007199254740993");
  await called("9007199254740992");
  expect(upstream.came.map(({ text }) => text).join()).toContain("9007199254740992");
});
