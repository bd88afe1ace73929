import { expect, test } from "vitest";
import { carry } from "../../lib/openapi/invoke.ts";
import { buildRequest } from "../../lib/openapi/request.ts";
import { rpc } from "../behaviour/gateway-fixture.ts";
import { compileOperation, parameter } from "../bridge/compiled.ts";
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

test.each([
  ["query", undefined],
  ["cookie", undefined],
  ["cookie", "cookie"],
])(
  "24. no member of an object that spreads in a %s (%s) is another parameter of the document",
  async (where, style) => {
    const all = parameter("all", where, {
      style,
      schema: { type: "object", additionalProperties: { type: "string" } },
    });
    const account = parameter("account", where, { schema: { enum: ["mine"] } });
    const { request } = await compileOperation("get", "/a", { parameters: [all, account] });
    const build = (members: object) => () => buildRequest("https://api.example", request, { all: members });
    expect(build({ account: "another's" })).toThrow('all: must not have "account", a parameter of its own');
    expect(build({ other: "1", account: null })().headers.cookie ?? "other=1").toBe("other=1");
  },
);

test("24. no cookie that an argument makes is read as one of the configuration", () => {
  const cookie = "%73ession=a; =session=b; theme=dark";
  const request = { url: "https://api.example/a", method: "GET", headers: { cookie }, body: undefined };
  const carried = carry(request, { headers: {}, cookies: [["session", "ours"]] });
  expect(carried.headers.cookie).toBe("theme=dark; session=ours");
});
