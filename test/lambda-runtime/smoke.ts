import { ok, strictEqual } from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createSigner, issueToken, manage, type Owner, requestToken, setUpOwner } from "../behaviour/fixture.ts";
import { scheduledEvent } from "../infra-aws/support/event.ts";
import { eventually } from "../support/eventually.ts";
import type { RunningFunction } from "./function.ts";

/** One check: resolves when it passed. */
export interface Check {
  readonly name: string;
  run(): Promise<void>;
}

/** The main job once through, in this order. */
export function smoke({ region, api }: RunningFunction): readonly Check[] {
  let owner: Owner;
  let token: string;
  const mcp = `${region.url}/mcp`;
  return [
    {
      name: "health is up",
      run: async () => {
        const response = await fetch(`${region.url}/status`);
        strictEqual(response.status, 200, await response.text());
      },
    },
    {
      name: "discovery names the public domain",
      run: async () => {
        const response = await fetch(`${region.url}/.well-known/openid-configuration`);
        const metadata = (await response.json()) as { issuer: string; token_endpoint: string };
        strictEqual(metadata.issuer, region.url);
        strictEqual(metadata.token_endpoint, `${region.url}/oauth2/token`);
      },
    },
    {
      name: "setup creates the first owner",
      run: async () => {
        owner = await setUpOwner(region);
      },
    },
    {
      name: "a client assertion gets a token for the gateway, once",
      run: async () => {
        const signer = await createSigner(owner, { scopes: ["library:read", "library:write"], resources: [mcp] });
        token = await issueToken(region, signer, { resource: mcp });
        ok(token.startsWith("cst_us_"), "the token has the region's prefix");
        const claims = { jti: "the-same" };
        strictEqual((await requestToken(region, signer, { claims })).status, 200);
        strictEqual((await requestToken(region, signer, { claims })).status, 400);
      },
    },
    {
      name: "the MCP path challenges who brings no token",
      run: async () => {
        const response = await fetch(mcp, {
          method: "POST",
          body: "{}",
          headers: { "Content-Type": "application/json" },
        });
        await response.text();
        strictEqual(response.status, 401);
      },
    },
    {
      name: "an MCP client lists the tools and calls one",
      run: async () => {
        const client = new Client({ name: "smoke", version: "1" });
        const headers = { Authorization: `Bearer ${token}` };
        await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } }));
        const { tools } = await client.listTools();
        ok(tools.length >= 8, `listed ${tools.length} tools`);
        const tool = tools.find(({ name }) => /search|list/i.test(name));
        ok(tool !== undefined, "one of the tools searches");
        const result = await client.callTool({ name: tool.name, arguments: {} });
        ok(result.isError !== true, JSON.stringify(result));
        await client.close();
      },
    },
    {
      name: "the call is in the audit log",
      run: async () => {
        const response = await manage(owner, "GET", "/audit-events?type=tool.invoked");
        const { items } = (await response.json()) as { items: readonly { outcome: string }[] };
        strictEqual(items.length, 1);
        strictEqual(items[0]?.outcome, "success");
      },
    },
    {
      name: "EventBridge's schedule is a heartbeat, and its answer is empty",
      run: async () => {
        const beats = () => region.logs().filter((line) => line.includes('"msg":"heartbeat"')).length;
        const before = beats();
        // Later than what the requests before have beaten for.
        const later = new Date(Date.now() + 2 * 60_000).toISOString();
        let bytes = 0;
        for await (const piece of api.invoke(scheduledEvent(later))) bytes += piece.length;
        strictEqual(bytes, 0);
        strictEqual(
          await eventually(
            async () => beats(),
            (count) => count > before,
          ),
          before + 1,
        );
      },
    },
    {
      name: "every answer was streamed through the Runtime API",
      run: async () => ok(api.streamed() > 10, `${api.streamed()} answers were streamed`),
    },
    {
      name: "no log line holds the token",
      run: async () => ok(!region.logs().some((line) => line.includes(token.slice(0, 30)))),
    },
  ];
}
