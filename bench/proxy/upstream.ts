import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listedTool } from "./listed-tool.ts";
import { LONG_SIZE, STREAMED_SIZE, TOOLS } from "./terms.ts";

/**
 * An MCP server that does next to nothing, in a process of its own: both generations on one path, answers ready, no checks.
 * `GET /asked` says how often it was asked for its tools. Arguments: port, and how many tools it has where it is about lists.
 */
const [port, count] = process.argv.slice(2).map(Number);
const TEXT = "Entry 4711: 120.00 EUR to the account of the company, booked on the first of the month. ".repeat(2);
const LONG_TEXT = TEXT.repeat(LONG_SIZE / TEXT.length + 1).slice(0, LONG_SIZE);
const FILLING = Buffer.alloc(STREAMED_SIZE, "a");
const CALLED = Object.values(TOOLS).map(calledTool);
const TOOL_LIST =
  count === undefined ? CALLED : [...CALLED, ...Array.from({ length: count - CALLED.length }, listedTool)];
/** What servers say of lists where they say anything: those of the session generation cannot. */
const KEPT = count === undefined ? { ttlMs: 3_600_000, cacheScope: "private" } : {};
let asked = 0;
/** Milliseconds between the head of a stream, its first event and its result. */
const PAUSE = 5;

interface Message {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => answer(Buffer.concat(chunks), request, response));
}).listen(port, "localhost");

function answer(body: Buffer, { method, url }: IncomingMessage, response: ServerResponse): void {
  if (url === "/asked") {
    response.end(String(asked));
    return;
  }
  if (method !== "POST") {
    response.writeHead(method === "GET" && url !== "/" ? 405 : 200).end();
    return;
  }
  const message = JSON.parse(body.toString()) as Message;
  if (message.id === undefined) response.writeHead(202).end();
  else if (message.params?.name === TOOLS.streamed) void stream(message.id, response);
  else json(message.id, resultOf(message), response);
}

function json(id: string | number, result: unknown, response: ServerResponse): void {
  const text = JSON.stringify({ jsonrpc: "2.0", id, result });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  response.writeHead(200, { ...headers, "mcp-session-id": "session-of-the-upstream" }).end(text);
}

function resultOf({ method, params }: Message): unknown {
  const complete = { resultType: "complete", ...KEPT };
  const serverInfo = { name: "upstream", version: "1" };
  const capabilities = { tools: {} };
  switch (method) {
    case "initialize":
      return { protocolVersion: "2025-11-25", capabilities, serverInfo };
    case "server/discover":
      return { ...complete, supportedVersions: ["2026-07-28"], capabilities, serverInfo };
    case "tools/list":
      asked += 1;
      return { ...complete, tools: TOOL_LIST };
    default:
      return {
        resultType: "complete",
        content: [{ type: "text", text: params?.name === TOOLS.long ? LONG_TEXT : TEXT }],
      };
  }
}

function calledTool(name: string): unknown {
  return { name, inputSchema: { type: "object" } };
}

/** A report and then a long result, each with the time that it is written at. */
async function stream(id: string | number, response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  await pause();
  const params = { progressToken: "token", progress: 1 };
  const report = { jsonrpc: "2.0", method: "notifications/progress", params: { ...params, message: `at:${now()};` } };
  response.write(`data: ${JSON.stringify(report)}\n\n`);
  await pause();
  response.write(`data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":[`);
  response.write(`{"type":"text","text":"at:${now()};`);
  response.write(FILLING);
  response.end('"}]}}\n\n');
}

/** Nanoseconds of a clock that all processes of the machine share. */
function now(): bigint {
  return process.hrtime.bigint();
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}
