import type { Admission } from "../../gateway/admit-calls.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { GatewayError } from "../../gateway/gateway-error.ts";
import type { ToolFacts } from "../../gateway/tool-index.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { HEADER_MISMATCH, RpcError } from "../json-rpc.ts";
import type { RpcRequest } from "../message.ts";
import { decodeHeader } from "./header-value.ts";

/** @throws RpcError when a header says something else than the argument that it repeats, or is missing */
export function refuseOtherParams(request: Request, { method, params }: RpcRequest, { tools }: Gateway): void {
  const located = method === "tools/call" && typeof params.name === "string" ? tools.get(params.name) : undefined;
  if (located !== undefined) refuseOthers(request, located.tool, params.arguments);
}

/**
 * The same of a call that was admitted, to a tool of an upstream MCP server: what its headers have to repeat is known since it
 * was located. Of `call_tool` no client knows it.
 *
 * @throws RpcError
 */
export function refuseOtherProxiedParams(request: Request, admission: Admission | undefined): void {
  if (admission === undefined || admission instanceof GatewayError) return;
  const { located, call } = admission;
  if (located.kind === "proxy" && call.isWrapped !== true) refuseOthers(request, located.tool, call.arguments);
}

function refuseOthers({ headers }: Request, { paramHeaders = [] }: ToolFacts, given: unknown): void {
  if (!isJsonObject(given)) return;
  for (const { name, path } of paramHeaders) {
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
