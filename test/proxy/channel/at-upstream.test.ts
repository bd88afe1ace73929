import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Gateway } from "../../../lib/application/gateway.ts";
import type { McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { ExchangeTerms } from "../../../lib/gateway/credentials/exchange.ts";
import type { KeptOutcome } from "../../../lib/gateway/credentials/kept-credentials.ts";
import { createProxies } from "../../../lib/gateway/proxied/proxies.ts";
import type { UpstreamCaller } from "../../../lib/gateway/proxied/reach-upstream.ts";
import { atUpstream } from "../../../lib/gateway/proxied/reach-upstream.ts";
import { UpstreamRefusal } from "../../../lib/upstream/refusal.ts";
import type { Upstream } from "../../../lib/upstream/upstream.ts";
import { type InProcess, startInProcess } from "../../support/in-process.ts";

const APP: McpProxyAppConfiguration = {
  type: "mcpProxy",
  name: "ledger",
  namespace: "ledger_",
  transport: "stream",
  url: "https://ledger.example/mcp",
  timeout: 5_000,
  concurrency: 1,
  shareable: false,
  inboundTools: [],
  stepUp: [],
  outbound: { type: "tokenExchange", mode: "delegation", idp: "idp", audience: "a", tools: [] },
};

let it: InProcess;
beforeAll(async () => {
  it = await startInProcess();
});
afterAll(() => it.close());

type Obtain = (refused: string | undefined) => KeptOutcome;

/** What is asked for at an upstream, each time with the token that it carries. */
async function carried(app: McpProxyAppConfiguration, obtain: Obtain, takes: (authorization?: string) => boolean) {
  const seen: (string | undefined)[] = [];
  const terms: (ExchangeTerms | undefined)[] = [];
  const credentials: Pick<Gateway["credentials"], "obtain"> = {
    obtain: async (located, _, refused) => {
      terms.push(located.terms);
      return obtain(refused);
    },
  };
  const proxies = createProxies([app], it.dependencies);
  const gateway = { ...it.dependencies, proxies, credentials } as unknown as Gateway;
  const request = { requestId: "r", logger: it.dependencies.logger };
  const caller = { identity: undefined, token: "t", request, signal: new AbortController().signal };
  const work = async ({ headers }: Upstream): Promise<void> => {
    seen.push(headers.authorization);
    if (!takes(headers.authorization)) throw new UpstreamRefusal({ status: 401 });
  };
  const failure = await atUpstream(app, caller as unknown as UpstreamCaller, gateway, work).catch((cause) => cause);
  return { seen, terms, failure };
}

const bearing = (token: string): KeptOutcome => ({ outcome: "obtained", token });

describe("what is for no tool", () => {
  test("carries a token without scopes, and another one when that is refused", async () => {
    const obtain: Obtain = (refused) => bearing(refused === undefined ? "first" : "second");
    const { seen, terms } = await carried(APP, obtain, (authorization) => authorization === "Bearer second");
    expect(seen).toEqual(["Bearer first", "Bearer second"]);
    expect(terms[0]).toMatchObject({ audience: "a", scopes: [] });
  });

  test("is tried twice at most", async () => {
    const { seen, failure } = await carried(
      APP,
      () => bearing("same"),
      () => false,
    );
    expect(seen).toHaveLength(2);
    expect(failure).toMatchObject({ status: 401 });
  });

  test("carries nothing where nothing is exchanged, and is not repeated", async () => {
    const open: McpProxyAppConfiguration = { ...APP, outbound: { type: "unprotected" } };
    const { seen } = await carried(
      open,
      () => bearing("none"),
      () => false,
    );
    expect(seen).toEqual([undefined]);
  });

  test.each([
    [{ outcome: "token_refused" }, "token_refused"],
    [{ outcome: "refused", error: "invalid_target" }, "credential_refused"],
    [{ outcome: "unavailable", reason: "unreachable" }, "credential_unavailable"],
  ] as const)("does not come about without a token: %j", async (outcome, code) => {
    const { seen, failure } = await carried(
      APP,
      () => outcome,
      () => true,
    );
    expect(seen).toEqual([]);
    expect(failure).toMatchObject({ code });
  });

  test("has the scopes of an entry that takes whatever name", async () => {
    const tools = [
      { name: "read", ttl: 1_000, scopes: ["read"] },
      { name: "/.*/", ttl: 1_000, scopes: ["mcp"] },
    ];
    const all = { ...APP, outbound: { ...APP.outbound, tools } } as McpProxyAppConfiguration;
    const { terms } = await carried(
      all,
      () => bearing("t"),
      () => true,
    );
    expect(terms[0]?.scopes).toEqual(["mcp"]);
  });
});
