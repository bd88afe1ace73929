import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messagesOf } from "../behaviour/mcp/events.ts";
import { initialize, request } from "../behaviour/mcp/session.ts";
import { ISSUER } from "../support/in-process.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

const HEADER = "Mcp-Session-Id";
const BYTES = Buffer.from([0x00, 0xff, 0x10, 0x80]);
const TYPES: Readonly<Record<string, string>> = {
  "/odd/image": "image/png",
  "/notes/1/text": "audio/wav",
  "/tags": "application/zip",
};
const upstream = createServer(({ url = "" }, response) => {
  response.writeHead(200, { "content-type": TYPES[url] ?? "text/plain" }).end(BYTES);
});
let it: OpenGateway;
beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  // The name that clients know.
  it = await openGateway({
    session: { headerName: HEADER },
    upstreamURL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
  });
});
afterAll(async () => {
  await it.close();
  await new Promise((resolve) => upstream.close(resolve));
});

const data = BYTES.toString("base64");
const image = { type: "image", data, mimeType: "image/png" };
const audio = { type: "audio", data, mimeType: "audio/wav" };
const resource = (tool: string, mimeType: string) => ({
  type: "resource",
  resource: { uri: `countersign:answer/${tool}`, mimeType, blob: data },
});

/** Calls the three tools with the client of an SDK. */
const CLIENTS: readonly (readonly [name: string, content: (fetch: typeof globalThis.fetch) => Promise<unknown[]>])[] = [
  [
    "version 2 of the SDK, stateless",
    async (fetch) => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${ISSUER}/mcp`), { fetch }));
      return contents((name, args) => client.callTool({ name, arguments: args }), client);
    },
  ],
  [
    "version 1 of the SDK, with a session",
    async (fetch) => {
      const client = new OldClient({ name: "test", version: "1" });
      // The SDK's own class fits its own interface only without exactOptionalPropertyTypes.
      await client.connect(new OldTransport(new URL(`${ISSUER}/mcp`), { fetch }) as Transport);
      return contents((name, args) => client.callTool({ name, arguments: args }), client);
    },
  ],
];

type Call = (name: string, args: Record<string, unknown>) => Promise<object>;

async function contents(call: Call, client: { close(): Promise<void> }): Promise<unknown[]> {
  const results = [await call("image", {}), await call("getNoteText", { noteId: "1" }), await call("listTags", {})];
  await client.close();
  return results.flatMap((result) => ("content" in result ? result.content : []));
}

test.each(CLIENTS)("an image, audio and another file reach a client: %s", async (_, content) => {
  const fetch = async (url: URL | RequestInfo, init?: RequestInit) =>
    it.send(new URL(url instanceof Request ? url.url : url).pathname, init);
  expect(await content(fetch)).toEqual([image, audio, resource("listTags", "application/zip")]);
});

test("a client of 2024-11-05 gets audio as a file", async () => {
  const started = await it.post(initialize("2024-11-05"));
  await started.text();
  const session = { [HEADER]: started.headers.get(HEADER) ?? "" };
  const call = request("tools/call", { name: "getNoteText", arguments: { noteId: "1" } });
  const [answer] = await messagesOf(await it.post(call, session));
  expect(answer).toMatchObject({ result: { content: [resource("getNoteText", "audio/wav")] } });
});
