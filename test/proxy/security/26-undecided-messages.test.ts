import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request } from "../../behaviour/mcp/session.ts";
import { type AgentSession, type ProxyGateway, proxyGateway } from "../channel/gateway.ts";
import { type Json, type SessionUpstream, startSessionUpstream } from "../channel/session-upstream.ts";

let upstream: SessionUpstream;
let it: ProxyGateway;
let agent: AgentSession;
beforeAll(async () => {
  upstream = await startSessionUpstream({ said: { capabilities: { tools: {}, resources: {}, prompts: {} } } });
  it = await proxyGateway({ ledger: upstream.url });
  agent = await it.open({ elicitation: {} });
  await it.ask(request("tools/call", { name: "ledger_any", arguments: {} }), agent.headers);
});
afterAll(async () => {
  await it.close();
  await upstream.close();
});

/** What came at the upstream of a message of the agent, as it was written. */
async function arrived(body: unknown): Promise<readonly Json[]> {
  const before = upstream.came.length;
  const response = await it.post(body, agent.headers);
  await response.text();
  await it.settled();
  return upstream.came.slice(before).map(({ text }) => JSON.parse(text));
}

describe("26. what nobody has decided on does not reach an upstream", () => {
  test("46. a request without an id is no notification", async () => {
    const params = { name: "deletePayment", arguments: {} };
    expect(await arrived({ jsonrpc: "2.0", method: "tools/call", params })).toEqual([]);
    expect(await arrived({ jsonrpc: "2.0", method: "resources/read", params: { uri: "file:///a" } })).toEqual([]);
  });

  test("of a notification and of an answer only what belongs to them goes on, with numbers as they were written", async () => {
    const hidden = '"Method":"tools/call","ID":5,"Params":{"name":"deletePayment"}';
    const told = `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":12345678901234567890},${hidden}}`;
    expect(await arrived(told)).toEqual([
      { jsonrpc: "2.0", method: "notifications/x", params: JSON.parse('{"a":12345678901234567890}') },
    ]);
    expect(upstream.came.at(-1)?.text).toContain("12345678901234567890");
    expect(await arrived(`{"jsonrpc":"2.0","id":"ledger/9","result":{},${hidden}}`)).toEqual([
      { jsonrpc: "2.0", id: 9, result: {} },
    ]);
  });

  test.each([
    ["tools/call", { name: "ledger_a", Name: "b", ARGUMENTS: {}, argumentſ: {}, RequestState: "x" }, { name: "a" }],
    ["resources/read", { uri: "ledger+file:///a", URI: "file:///b" }, { uri: "file:///a" }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "ledger_a", Name: "b", Type: "ref/resource" }, Ref: {}, argument: {} },
      { ref: { type: "ref/prompt", name: "a" }, argument: {} },
    ],
  ])("%s: no member is there a second time in other letters", async (method, params, sent) => {
    expect(await arrived(request(method, params))).toMatchObject([{ method, params: sent }]);
    expect(JSON.parse(upstream.came.at(-1)?.text ?? "").params).toEqual(sent);
  });

  test.each(["Tools/Call", "tools/call ", "tools/call\u0000", "Resources/Subscribe", "subscriptions/listen"])(
    "27. %j is no method of an upstream's own",
    async (method) => {
      expect(await arrived(request(method, { name: "deletePayment" }))).toEqual([]);
    },
  );
});
