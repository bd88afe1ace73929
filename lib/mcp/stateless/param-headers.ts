import type { Gateway } from "../../gateway/gateway.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { HEADER_MISMATCH, RpcError } from "../json-rpc.ts";
import type { RpcRequest } from "../message.ts";
import { decodeHeader } from "./header-value.ts";

/** @throws RpcError when a header says something else than the argument that it repeats, or is missing */
export function refuseOtherParams({ headers }: Request, { method, params }: RpcRequest, { tools }: Gateway): void {
  const located = method === "tools/call" && typeof params.name === "string" ? tools.get(params.name) : undefined;
  if (located === undefined || !isJsonObject(params.arguments)) return;
  for (const { name, path } of located.tool.paramHeaders ?? []) {
    const value = valueAt(params.arguments, path);
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
