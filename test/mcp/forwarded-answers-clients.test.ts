import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { expect, test } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import type { Method } from "../../lib/mcp/methods/methods.ts";
import { INTERNAL_ERROR, RpcError } from "../../lib/protocol/mcp/json-rpc.ts";
import { type RpcRequest, readRpcMessage } from "../../lib/protocol/mcp/message.ts";
import { carryOutCall } from "./carrying-out.ts";

const GATEWAY = new URL("https://gateway.test/mcp");

/** Writes its answer byte by byte; that of the tool `broken` is never whole. */
const answerSlowly: Method = async ({ id, params }, { openAnswer, notify }) => {
  const text = `{"jsonrpc":"2.0",\n"id":${id},"result":{"content":[{"type":"text","text":"Grüße"}]}}`;
  const bytes = utf8(text);
  const answer = openAnswer();
  notify("notifications/message", { level: "info", data: "behind the answer" });
  const length = params.name === "broken" ? bytes.length - 10 : bytes.length;
  for (const byte of bytes.subarray(0, length)) await answer.write(Uint8Array.of(byte));
  if (params.name === "broken") throw new RpcError(INTERNAL_ERROR, "The upstream broke off.");
  return { kind: "written", answer };
};

const serve: typeof globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const message = readRpcMessage(await request.json());
  if (message?.kind !== "request") return new Response(null, { status: 202 });
  if (message.method === "initialize") return Response.json(initialized(message));
  return carryOutCall(answerSlowly, message, request);
};

function initialized({ id, params }: RpcRequest) {
  const { protocolVersion } = params;
  const serverInfo = { name: "gateway", version: "1" };
  return { jsonrpc: "2.0", id, result: { protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo } };
}

/** What this test needs of a client of either SDK. */
interface AnyClient {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const CLIENTS: readonly (readonly [name: string, connect: () => Promise<AnyClient>])[] = [
  [
    "version 2",
    async () => {
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(GATEWAY, { fetch: serve }));
      return client;
    },
  ],
  [
    "version 1",
    async () => {
      const client = new OldClient({ name: "test", version: "1" });
      // The SDK's own class fits its own interface only without exactOptionalPropertyTypes.
      await client.connect(new OldTransport(GATEWAY, { fetch: serve }) as Transport);
      return client;
    },
  ],
];

test.each(CLIENTS)(
  "a client of the SDK's %s reads answers that come byte by byte, and errors after half of one",
  async (_, connect) => {
    const client = await connect();
    expect(await client.callTool({ name: "whole", arguments: {} })).toMatchObject({
      content: [{ type: "text", text: "Grüße" }],
    });
    await expect(client.callTool({ name: "broken", arguments: {} })).rejects.toThrow("The upstream broke off.");
    await client.close();
  },
);
