import { HEADER_MISMATCH, RpcError } from "../json-rpc.ts";
import { metaOf, type RpcNotification, type RpcRequest } from "../message.ts";
import { PROTOCOL_VERSION } from "../meta.ts";
import { decodeHeader } from "./header-value.ts";
import { nameOf } from "./named-by.ts";

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
