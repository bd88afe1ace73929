import type { McpStreamConfiguration } from "../config/configuration.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { jsonRpcError, REFUSED } from "./json-rpc.ts";

/** Clients take 405 to GET as "no such stream", and to DELETE as "not yours to end" (MCP, Transports). */
export function methodNotAllowed(
  { session }: McpStreamConfiguration,
  { dependencies }: Pick<Gateway, "dependencies">,
): Response {
  const allowed = ["POST"];
  if (session !== undefined && dependencies.sessionChannel !== undefined) allowed.push("GET");
  if (session?.allowClientTermination) allowed.push("DELETE");
  return jsonRpcError(405, REFUSED, "This method is not served here.", { headers: { allow: allowed.join(", ") } });
}
