import { type Admission, isPrepared } from "../../gateway/call-tool.ts";
import type { LocatedTool, ToolIndex } from "../../gateway/tool-index.ts";
import { shownHeaders } from "../../gateway/tool-rules.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { decodeHeader } from "../../protocol/mcp/header-value.ts";
import { HEADER_MISMATCH, RpcError } from "../../protocol/mcp/json-rpc.ts";
import { metaOf, type RpcNotification, type RpcRequest } from "../../protocol/mcp/message.ts";
import { PROTOCOL_VERSION } from "../../protocol/mcp/meta.ts";
import { nameOf } from "../../protocol/mcp/named-by.ts";

/**
 * What stands in front of us may have decided on headers, so they have to say what the body says, which alone counts here
 * (checklist 26). Notifications need not have them.
 *
 * @throws RpcError when a header that is there says something else
 */
export function refuseMismatch({ headers }: Request, message: RpcRequest | RpcNotification): void {
  for (const { name, wanted } of mirrored(message)) {
    const header = decodeHeader(headers.get(name));
    if (header !== undefined && header !== wanted) throw mismatch(name, "says something else than the body");
  }
}

/** @throws RpcError when a header that a request needs is not there */
export function refuseMissing({ headers }: Request, request: RpcRequest): void {
  const missing = mirrored(request).find(({ name }) => !headers.has(name));
  if (missing !== undefined) throw mismatch(missing.name, "is required");
}

/** Headers with what they have to say. */
function mirrored({ method, params }: RpcRequest | RpcNotification): readonly { name: string; wanted: string }[] {
  const version = metaOf(params)[PROTOCOL_VERSION];
  const name = nameOf(method, params);
  return [
    { name: "MCP-Protocol-Version", wanted: version },
    { name: "Mcp-Method", wanted: method },
    { name: "Mcp-Name", wanted: name },
  ].filter((header): header is { name: string; wanted: string } => typeof header.wanted === "string");
}

function mismatch(header: string, problem: string): RpcError {
  return new RpcError(HEADER_MISMATCH, `The ${header} header ${problem}.`, { header });
}

/** @throws RpcError when a header says something else than the argument that it repeats, or is missing */
export function refuseOtherParams(
  request: Request,
  { method, params }: RpcRequest,
  { tools }: { readonly tools: ToolIndex },
): void {
  const located = method === "tools/call" && typeof params.name === "string" ? tools.get(params.name) : undefined;
  if (located !== undefined) refuseOthers(request, located, params.arguments);
}

/**
 * The same of a call that was admitted, to a tool of an upstream MCP server: what its headers have to repeat is known since it
 * was located. Of `call_tool` no client knows it.
 *
 * @throws RpcError
 */
export function refuseOtherProxiedParams(request: Pick<Request, "headers">, admission: Admission | undefined): void {
  if (!isPrepared(admission)) return;
  const { located, call } = admission;
  if (located.kind === "proxy" && call.isWrapped !== true) refuseOthers(request, located, call.arguments);
}

function refuseOthers({ headers }: Pick<Request, "headers">, located: LocatedTool, given: unknown): void {
  const { paramHeaders = [] } = located.tool;
  if (!isJsonObject(given) || paramHeaders.length === 0) return;
  for (const { name, path } of shownHeaders(located, paramHeaders)) {
    const value = valueAt(given, path);
    if (!["string", "number", "boolean"].includes(typeof value)) continue;
    if (says(decodeHeader(headers.get(name)), value)) continue;
    throw new RpcError(HEADER_MISMATCH, `The ${name} header does not say what its argument does.`, { header: name });
  }
}

function valueAt(given: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), given);
}

/** Numbers are compared as such: `42.0` is 42. */
function says(header: string | null | undefined, value: unknown): boolean {
  if (typeof value === "number" && /^-?\d+(\.\d+)?$/.test(header ?? "")) return Number(header) === value;
  return header === String(value);
}
