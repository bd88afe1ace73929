import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headerParts } from "../../../lib/config/header-template.ts";
import { type HeaderSources, upstreamHeaders } from "../../../lib/gateway/credentials/upstream-headers.ts";
import type { Attributes } from "../../../lib/telemetry/attributes.ts";
import type { Span, Telemetry } from "../../../lib/telemetry/telemetry.ts";
import { rpc, textOf } from "../../behaviour/gateway-fixture.ts";
import { type EchoingApi, echoApp, startEchoingApi } from "./echoing-api.ts";
import { OUTBOUND, withOwnExchange } from "./own-exchange.ts";

const it = withOwnExchange({ outbound: { type: "unprotected" } });
let api: EchoingApi;
beforeAll(async () => {
  api = await startEchoingApi();
});
afterAll(() => api.stop());

const SECRETS = { S_KEY: "{{ user.sub }} hunter2" };
const HEADERS = {
  "X-User": "{{ user.sub }}",
  "X-Who": "agent={{agent.clientID}}; request={{ request.id }}",
  "X-Static": "plain",
  "X-Key": "<key>",
};

async function call(tool: string, given: object = {}, headers: object = HEADERS) {
  const app = await echoApp(api.url, { headers }, SECRETS);
  await it.restart({ apps: [app] });
  return rpc(await it.gateway.call(tool, given, (await it.token()).text));
}

describe("headers of an upstream", () => {
  test("name the person, the agent and the request, and a secret is no template", async () => {
    const answer = await call("open");
    expect(api.requests.at(-1)?.headers).toMatchObject({
      "x-user": "user_a-person",
      "x-who": expect.stringMatching(/^agent=an-agent; request=[\w-]{8,}$/),
      "x-static": "plain",
      "x-key": "{{ user.sub }} hunter2",
    });
    expect(textOf(answer)).toContain("user_a-person");
    expect(textOf(answer)).not.toContain("hunter2");
  });

  test("24. are not asked of the agent where the document declares them, nor taken from it", async () => {
    expect(textOf(await call("declared", { api_key: "a", "X-User": "somebody" }))).toContain("Invalid arguments");
    await call("declared", { api_key: "a" }, { "X-User": "{{ user.email }}" });
    expect(api.requests.at(-1)?.headers).not.toHaveProperty("x-user");
  });

  test("an Authorization among them goes to APIs whose document defines no scheme", async () => {
    await call("open", {}, { Authorization: "Bearer abc", "User-Agent": "Books/1" });
    expect(api.requests.at(-1)?.headers).toMatchObject({ authorization: "Bearer abc", "user-agent": "Books/1" });
  });

  test("may have a secret as a part, which no answer repeats and which is no template", async () => {
    const headers = {
      Authorization: "Token token=<key>",
      "X-Both": "{{ user.sub }} <key>",
      Link: "<https://a.example>; rel=a",
    };
    const answer = await call("open", {}, headers);
    expect(api.requests.at(-1)?.headers).toMatchObject({
      authorization: "Token token={{ user.sub }} hunter2",
      "x-both": "user_a-person {{ user.sub }} hunter2",
      link: "<https://a.example>; rel=a",
    });
    expect(textOf(answer)).toContain("Token token=");
    expect(textOf(answer)).not.toContain("hunter2");
  });

  test("give way to the exchanged token", async () => {
    const app = await echoApp(api.url, { headers: { Authorization: "Bearer static", "X-Static": "plain" } });
    await it.restart({ apps: [{ ...app, outbound: OUTBOUND }] });
    await rpc(await it.gateway.call("open", {}, (await it.token()).text));
    const { headers } = api.requests.at(-1) ?? {};
    expect(headers).toMatchObject({ authorization: expect.stringMatching(/^Bearer ey/), "x-static": "plain" });
  });
});

describe("a value of a header", () => {
  const ALL = "{{ user.sub }}|{{ agent.clientID }}|{{ request.id }}";
  const filled = (template: string, user?: object) => {
    const identity = { agent: { clientID: "agent" }, ...(user !== undefined && { user }) } as HeaderSources["identity"];
    return upstreamHeaders([{ name: "x", parts: headerParts(template) }], { identity, requestId: "r1" }).x;
  };

  test.each([
    [ALL, { sub: "a" }, "a|agent|r1"],
    ["{{ user.https://a.example/role }}", { sub: "a", "https://a.example/role": "owner" }, "owner"],
    ["{{ user.level }} {{ user.verified }}", { level: 3, verified: false }, "3 false"],
    ["{{ user.groups }}", { groups: ["a", "b", 1] }, "a,b,1"],
    ["{{ user.name }}", { name: "Jörg\r\nX-Admin: 1" }, "J%C3%B6rg%0D%0AX-Admin: 1"],
    ["{{ user.name }}", { name: " 100% \ud800" }, "%20100%25 %EF%BF%BD"],
    ["{{ user.name }}", { name: "a " }, "a%20"],
    ["{{ env.X }} stays", {}, "{{ env.X }} stays"],
  ])("%s is filled so that a header can hold it", (template, user, expected) => {
    expect(filled(template, user)).toBe(expected);
  });

  test.each([
    ["nobody", ALL, undefined],
    ["no such claim", "a {{ user.email }}", { sub: "a" }],
    ["an inherited name", "{{ user.constructor }}", { sub: "a" }],
    ["an empty claim", "{{ user.email }}", { email: "" }],
    ["an object", "{{ user.address }}", { address: { city: "a" } }],
    ["an empty list", "{{ user.groups }}", { groups: [] }],
    ["a list of objects", "{{ user.groups }}", { groups: [{}] }],
  ])("of %s leaves the header out", (_, template, user) => {
    expect(filled(template, user)).toBeUndefined();
  });
});

test("10. an API key of the query is in no span and no measurement", async () => {
  const seen: unknown[] = [];
  const span = (name: string): Span => ({
    traceId: "",
    isRecorded: true,
    rename: () => undefined,
    startChild: (options) => span(`${name} > ${options.name}`),
    set: (attributes) => void seen.push(name, attributes),
    end: (failure) => void seen.push(failure),
    headers: () => ({}),
  });
  const telemetry: Telemetry = {
    startSpan: ({ name }) => span(name),
    record: (metric, value, attributes: Attributes) => void seen.push(metric, value, attributes),
    countActive: () => undefined,
    countSession: () => undefined,
  };
  const app = await echoApp(api.url, { auth: { inQuery: { value: "<key>" } } }, { S_KEY: "key-hunter2" });
  await it.restart({ apps: [app], adapt: (dependencies) => ({ ...dependencies, telemetry }) });
  await rpc(await it.gateway.call("inQuery", {}, (await it.token()).text));
  expect(api.requests.at(-1)?.url).toBe("/inQuery?api_key=key-hunter2");
  expect(JSON.stringify(seen)).toContain("GET /inQuery");
  expect(JSON.stringify(seen)).not.toContain("hunter2");
});
