import type { IncomingMessage } from "node:http";
import { findTool } from "../features/tools.ts";
import { header } from "../http.ts";
import { HEADER_MISMATCH, isObject, type JsonObject, objectAt, RpcError, type RpcRequest } from "../json-rpc.ts";
import type { Envelope } from "./meta.ts";

/** The parameter that `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** @throws RpcError when a header is missing or says something else than the body (MCP 2026-07-28, Transports) */
export function refuseHeaders(request: IncomingMessage, { method, params }: RpcRequest, envelope: Envelope): void {
  demand(request, "MCP-Protocol-Version", envelope.protocolVersion);
  demand(request, "Mcp-Method", method);
  const named = NAMED_BY[method];
  if (named !== undefined && typeof params[named] === "string") demand(request, "Mcp-Name", params[named]);
  if (method !== "tools/call") return;
  const given = objectAt(params, "arguments");
  for (const [argument, name] of repeatedArguments(params.name))
    if (given[argument] !== undefined) demand(request, `Mcp-Param-${name}`, String(given[argument]));
}

/** Arguments of a tool that headers repeat, with the headers' names. */
function repeatedArguments(tool: unknown): readonly (readonly [argument: string, name: string])[] {
  const properties: JsonObject = objectAt(findTool(tool)?.inputSchema ?? {}, "properties");
  return Object.entries(properties).flatMap(([argument, schema]) => {
    const name = isObject(schema) ? schema["x-mcp-header"] : undefined;
    return typeof name === "string" ? [[argument, name] as const] : [];
  });
}

function demand(request: IncomingMessage, name: string, wanted: string): void {
  const value = header(request, name.toLowerCase());
  if (value === undefined) throw new RpcError(HEADER_MISMATCH, `${name} is missing.`);
  if (decoded(value.trim()) !== wanted)
    throw new RpcError(HEADER_MISMATCH, `${name} says something else than the body.`);
}

/** Undefined for what is encoded, but not as it has to be. */
function decoded(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded ? bytes.toString("utf8") : undefined;
}
