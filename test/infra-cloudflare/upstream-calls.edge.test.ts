import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSigner, issueToken, setUpOwner } from "../behaviour/fixture.ts";
import { bearer, mcpURL } from "../behaviour/gateway-fixture.ts";
import { mcpConfiguration } from "../behaviour/mcp/configuration.ts";
import { type Message, messagesOf } from "../behaviour/mcp/events.ts";
import { openAgent, type ProxiedAgent, textOf } from "../behaviour/mcp-proxy/agent.ts";
import { workerVariables } from "../runtimes/workerd.ts";
import { eventually } from "../support/eventually.ts";
import type { RunningRegion } from "../support/runtime.ts";
import { type AskingServer, startAskingServer } from "./support/asking-server.ts";
import { compiledConfiguration } from "./support/configuration.ts";
import { openFront } from "./support/front.ts";
import { workerHarness } from "./support/harness.ts";

const APP = `
  - type: mcpProxy
    name: desk
    upstream:
      stream:
        url: "{{ env.MCP_URL }}"
    authorization:
      outbound:
        type: unprotected
`;
const OVER = { error: { code: -32602, data: { reason: "call_over" } } };

describe("30. an upstream with sessions asks an agent without, on Workers", () => {
  let server: AskingServer;
  let ada: ProxiedAgent;
  let grace: ProxiedAgent;
  let region: RunningRegion;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    server = await startAskingServer();
    const configuration = await compiledConfiguration(mcpConfiguration({ hasLegacy: false }) + APP);
    const front = await openFront();
    const variables = { UPSTREAM_URL: "http://127.0.0.1:9", MCP_URL: server.url };
    const harness = workerHarness({
      region: "us",
      main: "test/infra-cloudflare/support/calls-worker.js",
      configuration: configuration.path,
      vars: workerVariables("us", front.url, { configuration: "", variables }),
    });
    stops.push(server.stop, configuration.remove, front.close, harness.close);
    front.forwardTo(Number((await harness.listen()).url.port));
    region = { region: "us", url: front.url, logs: () => harness.getLogs().map(({ message }) => message) };
    const owner = await setUpOwner(region);
    const agent = async () => {
      const resource = mcpURL(region);
      const token = await issueToken(region, await createSigner(owner, { resources: [resource] }), { resource });
      return openAgent(region, bearer(token), "stateless");
    };
    [ada, grace] = await Promise.all([agent(), agent()]);
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  const ask = (given: object, agent = ada) => agent.call("desk_introduce", { ...given });
  const back = (given: object, { result }: Message, round: number, name: string, agent = ada) =>
    agent.call("desk_introduce", { ...given }, backWith(result, round, name));
  const ended = (sessions = 0) =>
    eventually(
      async () => server.sessions(),
      (count) => count === sessions,
    );

  test("30. question after question, each with a state of its own that works once", async () => {
    const given = { questions: 2 };
    const first = await ask(given);
    expect(first.result).toMatchObject({
      resultType: "input_required",
      inputRequests: { "input-1": { method: "elicitation/create", params: { message: "Name 1?" } } },
    });
    expect(server.declared).toEqual({ elicitation: {} });
    const params = { name: "desk_introduce", arguments: given, ...backWith(first.result, 1, "Ada") };
    const [progress, second] = await messagesOf(
      await ada.send("tools/call", { ...params, _meta: { progressToken: "mine" } }),
    );
    expect(progress).toBeDefined();
    expect(second?.result).toMatchObject({ inputRequests: { "input-2": { params: { message: "Name 2?" } } } });
    expect(await back(given, first, 1, "Mallory")).toMatchObject(OVER);
    const last = await back(given, second as Message, 2, "Bob");
    expect(last.result).toMatchObject({ resultType: "complete", content: [{ text: "Ada,Bob" }] });
    expect(await back(given, second as Message, 2, "Bob")).toMatchObject(OVER);
    await ended();
    expect(server.heard.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  test("numbers that no double holds come as they are; who brings nothing is asked again", async () => {
    const response = await ada.send("tools/call", { name: "desk_introduce", arguments: { questions: 1 } });
    const text = await response.text();
    expect(text).toContain('"big":12345678901234567890');
    const asked = JSON.parse(/(\{.*\})/.exec(text)?.[1] ?? "") as Message;
    const again = await back({ questions: 1 }, asked, 7, "Ada");
    expect(again.result?.inputRequests).toEqual(asked.result?.inputRequests);
    expect(textOf(await back({ questions: 1 }, again, 1, "Ada"))).toBe("Ada");
    await ended();
  });

  test("an answer of 1 MB after a question comes whole, and so does one without", async () => {
    const length = 1024 * 1024;
    const given = { questions: 1, length };
    const asked = await ask(given);
    expect(textOf(await back(given, asked, 1, "Ada"))).toBe(`Ada${"x".repeat(length)}`);
    expect(textOf(await ask({ length }))).toHaveLength(length);
    await ended();
  });

  test("30. nobody else comes back to a call that waits", async () => {
    const given = { questions: 1 };
    const asked = await ask(given);
    const invalid = { error: { code: -32602, data: { reason: "invalid_request_state" } } };
    expect(await back(given, asked, 1, "Grace", grace)).toMatchObject(invalid);
    expect(textOf(await back(given, asked, 1, "Ada"))).toBe("Ada");
    await ended();
  });

  test("30. of one principal 20 calls wait and no more; one that is over makes room", async () => {
    const given = { questions: 1 };
    const waiting = await Promise.all(Array.from({ length: 20 }, () => ask(given)));
    for (const { result } of waiting) expect(result?.resultType).toBe("input_required");
    expect((await ask(given)).result).toMatchObject({ isError: true, resultType: "complete" });
    await ended(20);
    const others = await ask(given, grace);
    expect(textOf(await back(given, others, 1, "Grace", grace))).toBe("Grace");
    await Promise.all(waiting.map((asked) => back(given, asked, 1, "Ada")));
    await ended();
    const room = await eventually(
      () => ask(given),
      ({ result }) => result?.resultType === "input_required",
    );
    await back(given, room, 1, "Ada");
    await ended();
  });

  test("30. who does not come back for five minutes loses the call, which is cancelled and told of", async () => {
    const asked = await ask({ questions: 1 });
    const before = server.heard.length;
    await fetch(new URL("/~expire", region.url));
    await ended();
    await eventually(
      async () => server.heard.slice(before),
      (heard) => heard.includes("notifications/cancelled") && heard.includes("DELETE"),
    );
    expect(region.logs().join("\n")).toContain(
      "a call was given up: the agent did not bring what the upstream asked for",
    );
    expect(await back({ questions: 1 }, asked, 1, "Ada")).toMatchObject(OVER);
  });

  test("a call is lost with its object, and the agent hears that it has to be made anew", async () => {
    const asked = await ask({ questions: 1 });
    await fetch(new URL("/~end", region.url));
    expect(await back({ questions: 1 }, asked, 1, "Ada")).toMatchObject(OVER);
  });
});

function backWith(result: Message["result"], round: number, name: string) {
  return {
    requestState: result?.requestState,
    inputResponses: { [`input-${round}`]: { action: "accept", content: { name } } },
  };
}
