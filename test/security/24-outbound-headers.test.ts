import { expect, test } from "vitest";
import { rpc } from "../behaviour/gateway-fixture.ts";
import { withOwnExchange } from "../gateway/credentials/own-exchange.ts";

const it = withOwnExchange();

test("24. the upstream gets the exchanged token in place of the agent's, and no header of the agent's", async () => {
  const { text } = await it.token();
  const foreign = {
    cookie: "a=b",
    "x-forwarded-for": "198.51.100.1",
    "x-secret": "agent",
    "proxy-authorization": "Basic YQ==",
  };
  const response = await it.gateway.send("/mcp", {
    method: "POST",
    headers: {
      ...foreign,
      authorization: `Bearer ${text}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "listNotes", arguments: { "X-Trace": "mine" } },
    }),
  });
  expect((await rpc(response)).result?.isError).toBeUndefined();
  const sent = it.upstream.requests.at(-1) ?? {};
  expect(sent.authorization).toMatch(/^Bearer [^ ,]+$/);
  expect(sent.authorization).not.toContain(text);
  expect(JSON.stringify(sent)).not.toContain(text);
  for (const name of Object.keys(foreign)) expect(sent[name]).toBeUndefined();
});
