import { isJsonObject } from "../json.ts";
import { HEADER_MISMATCH, idOf, jsonRpcError } from "./json-rpc.ts";

/**
 * Refuses a message whose `Mcp-Method` or `Mcp-Name` header says something else than its body: what stands in front of
 * us may have decided on the header (checklist 26). Holds for both generations; old clients send neither header.
 */
export function headerMismatch(request: Request, message: unknown): Response | undefined {
  const { method, params } = isJsonObject(message) ? message : {};
  const { name: named, uri } = isJsonObject(params) ? params : {};
  const name = named ?? uri;
  if (differs(request.headers.get("mcp-method"), method)) return refuse("Mcp-Method", message);
  if (differs(decoded(request.headers.get("mcp-name")), name)) return refuse("Mcp-Name", message);
  return undefined;
}

function differs(header: string | null | undefined, value: unknown): boolean {
  return header !== null && header !== value;
}

function refuse(header: string, message: unknown): Response {
  return jsonRpcError(400, HEADER_MISMATCH, `The ${header} header does not match the body.`, { id: idOf(message) });
}

/** MCP 2026-07-28, Transports: values that a header cannot carry come as `=?base64?…?=`. Undefined: not decodable. */
function decoded(header: string | null): string | null | undefined {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(header ?? "") ?? [];
  if (encoded === undefined) return header;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0)));
  } catch {
    // Invalid base64 or UTF-8 equals no name.
    return undefined;
  }
}
