import { Client } from "@modelcontextprotocol/client";
import { Client as SessionClient } from "@modelcontextprotocol/sdk/client/index.js";
import { createListed } from "../../lib/gateway/tool-index.ts";
import type { BridgeTool } from "../../lib/openapi/catalog.ts";

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

/** What both generations of the SDK's client say of a list with these tools; empty: they take every one. */
export async function refusedBySDKs(tools: readonly BridgeTool[]): Promise<readonly string[]> {
  const listed = JSON.stringify(tools.map((tool) => createListed(() => tool)()));
  const problems: string[] = [];
  for (const [generation, client] of [
    ["version 1 of the SDK", new SessionClient({ name: "test", version: "1" })],
    ["version 2 of the SDK", new Client({ name: "test", version: "1" })],
  ] as const) {
    try {
      await client.connect(serverOf(listed) as never);
      const { tools: taken } = await client.listTools();
      if (taken.length !== tools.length) problems.push(`${generation} takes ${taken.length} of ${tools.length} tools`);
    } catch (cause) {
      problems.push(`${generation} refuses the list: ${cause}`);
    } finally {
      await client.close();
    }
  }
  return problems;
}

/** A transport to a server that has these tools and nothing else. */
function serverOf(tools: string) {
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    start: () => Promise.resolve(),
    close: async () => transport.onclose?.(),
    send: async ({ id, method, params }: Message) => {
      if (id === undefined) return;
      const initialized = {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "test", version: "1" },
      };
      const result = method === "tools/list" ? { tools: JSON.parse(tools) } : initialized;
      queueMicrotask(() => transport.onmessage?.({ jsonrpc: "2.0", id, result }));
    },
  };
  return transport;
}
