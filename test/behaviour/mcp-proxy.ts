import { afterAll, beforeAll, describe } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { proxiedCalls } from "./mcp-proxy/calls.ts";
import { proxiedFailures } from "./mcp-proxy/failures.ts";
import { type ProxyUnderTest, startProxy } from "./mcp-proxy/fixture.ts";
import { proxiedIdentity } from "./mcp-proxy/identity.ts";
import { proxiedLists } from "./mcp-proxy/lists.ts";
import { proxiedRecords } from "./mcp-proxy/records.ts";
import { trials } from "./mcp-proxy/trials.ts";
import { undecided } from "./mcp-proxy/undecided.ts";

/** Upstream MCP servers of both generations behind one endpoint, beside a REST API. */
export function mcpProxy(runtime: RuntimeUnderTest): void {
  describe("mcp proxy", () => {
    let started: ProxyUnderTest;
    const it = () => started;

    beforeAll(async () => {
      started = await startProxy(runtime);
    });
    afterAll(() => started.stop());

    proxiedLists(it);
    proxiedCalls(it);
    proxiedIdentity(it);
    proxiedRecords(it);
    trials(it);
    undecided(it);
    proxiedFailures(it);
  });
}
