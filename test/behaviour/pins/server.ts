import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";

/** An MCP server of the stateless generation whose tools change as a test says. */
export interface ChangingServer {
  readonly url: string;
  /** What it lists from now on, by path; none: it answers lists with an error. */
  readonly tools: Map<string, readonly JsonObject[] | "fails">;
  /** What is told to one agent instead, by its client id. */
  readonly told: Map<string, readonly JsonObject[]>;
  /** Paths and methods that were asked for. */
  readonly seen: readonly string[];
  stop(): Promise<void>;
}

const SERVER = { serverInfo: { name: "changing", version: "1" }, capabilities: { tools: {} } };

export async function startChangingServer(): Promise<ChangingServer> {
  const tools: ChangingServer["tools"] = new Map();
  const told: ChangingServer["told"] = new Map();
  const seen: string[] = [];

  const answer = async (request: IncomingMessage): Promise<JsonObject> => {
    const message = await readMessage(request);
    const { id, method } = message;
    const path = request.url ?? "";
    seen.push(`${path} ${method}`);
    const result = (said: JsonObject) => ({ jsonrpc: "2.0", id, result: { resultType: "complete", ...said } });
    if (method === "server/discover") return result({ supportedVersions: ["2026-07-28"], ...SERVER });
    if (method === "tools/call") return result({ content: [{ type: "text", text: "it was called" }] });
    const listed = told.get(String(request.headers["x-agent"])) ?? tools.get(path) ?? [];
    if (method !== "tools/list" || listed === "fails")
      return { jsonrpc: "2.0", id, error: { code: -32603, message: "not now" } };
    // Of its lists none is kept.
    return result({ tools: listed, ttlMs: 0 });
  };
  const server = createServer((request, response) => {
    void answer(request).then((message) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tools,
    told,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readMessage(request: IncomingMessage): Promise<JsonObject> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const message: unknown = text === "" ? {} : JSON.parse(text);
  return isJsonObject(message) ? message : {};
}
