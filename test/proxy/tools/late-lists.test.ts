import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LISTING_DEADLINE } from "../../../lib/upstream/catalog/gather.ts";
import { type RpcAnswer, textOf } from "../../behaviour/gateway-fixture.ts";
import { type McpServer, mcpServer, toolOf } from "./mcp-server.ts";
import { type ProxyingGateway, type ProxyingOptions, proxyingGateway } from "./proxying-gateway.ts";

/** A server whose list comes when it is told to. */
function lateServer(): McpServer & { readonly asked: Promise<void>; readonly answers: () => void } {
  const server = mcpServer([toolOf("pay_invoice")]);
  const [asked, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    ...server,
    asked: asked.promise,
    answers: answers.resolve,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { method } = (await request.clone().json()) as { readonly method: string };
      if (method === "tools/list") {
        asked.resolve();
        await answers.promise;
      }
      return server.fetch(request);
    },
  };
}

const SEARCH = { search: "on", threshold: 1 } as const;
const LATE =
  "The tools of ledger are not known yet: the MCP server has not listed them in time. Ask again in a few seconds.";

describe("the tools of a server whose list is late", () => {
  let ledger: ReturnType<typeof lateServer>;
  let it: ProxyingGateway;
  beforeEach(() => {
    ledger = lateServer();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  });
  afterEach(async () => {
    ledger.answers();
    vi.useRealTimers();
    await it.close();
  });

  const start = async (more?: ProxyingOptions["more"]) => {
    const weather = mcpServer([toolOf("get_forecast")]);
    it = await proxyingGateway({ servers: { ledger, weather }, catalog: SEARCH, ...(more && { more }) });
  };
  const called = async (name: string, given: Readonly<Record<string, unknown>>): Promise<RpcAnswer> => {
    const answer = it.answer("tools/call", { name, arguments: given });
    let isAnswered = false;
    const answered = answer.finally(() => {
      isAnswered = true;
    });
    await ledger.asked;
    while (!isAnswered) await vi.advanceTimersByTimeAsync(LISTING_DEADLINE);
    return answered;
  };
  const found = (query: string, app?: string) => called("search_tools", { query, ...(app !== undefined && { app }) });

  test("31. are said not to be known where nothing is found, and are found as soon as they are", async () => {
    await start();
    const late = await found("pay invoice");
    expect(late.result).toMatchObject({ isError: true });
    expect(textOf(late)).toBe(LATE);
    ledger.answers();
    await vi.waitFor(async () =>
      expect(await it.called("search_tools", { query: "pay invoice" })).toBe("ledger_pay_invoice()"),
    );
  });

  test("31. are said not to be known beside what is found of other servers", async () => {
    await start();
    const late = await found("forecast");
    expect(textOf(late)).toBe(`weather_get_forecast()\n\n${LATE}`);
    expect(late.result).not.toMatchObject({ isError: true });
    expect(late.result).toMatchObject({ structuredContent: { tools: [{ name: "weather_get_forecast" }] } });
  });

  test("31. are said not to be known where a name is asked for, and say nothing of other apps' tools", async () => {
    await start();
    expect(textOf(await called("describe_tools", { names: ["ledger_pay_invoice"] }))).toContain(LATE);
    expect(textOf(await found("forecast", "weather"))).toBe("weather_get_forecast()");
    expect(textOf(await found("forecast", "ledger"))).toBe(LATE);
  });

  test("27. are not said to be the app's where policies hide the app from the caller", async () => {
    const policies = [{ engine: "cel", name: "cel", expression: 'request.mcp.app != "ledger"' }] as const;
    await start({ policies });
    const text = textOf(await found("pay invoice"));
    expect(text).toMatch(/^The tools of an app are not known yet/);
    expect(text).not.toContain("ledger");
    const [hidden, none] = [textOf(await found("pay", "ledger")), textOf(await found("pay", "nobody"))];
    expect(hidden.replace("ledger", "nobody")).toBe(none);
  });
});

test("31. a search says that a server did not list its tools", async () => {
  const broken = { ...mcpServer([]), fetch: async () => new Response("<html>", { status: 502 }) };
  const it = await proxyingGateway({
    servers: { broken, weather: mcpServer([toolOf("get_forecast")]) },
    catalog: SEARCH,
  });
  const note = "The tools of broken are not known now: the MCP server did not list them. Ask again later.";
  expect(await it.called("search_tools", { query: "forecast" })).toBe(`weather_get_forecast()\n\n${note}`);
  expect(await it.called("search_tools", { query: "zebra" })).toBe(note);
  await it.close();
});
