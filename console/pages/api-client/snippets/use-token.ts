import type { Instance } from "../../../../lib/management/schemas/instance.ts";
import { shellWord } from "./shell-word.ts";

/** What the token of an audience is first used for. */
export interface TokenUse {
  /** What the command does, for people. */
  readonly title: string;
  /** A shell command that has the token in `TOKEN`. */
  readonly code: string;
}

/**
 * A command that shows the token at work: the tools behind the gateway, what a permission reads at the management API, or
 * any request at another audience. Undefined when the client may read nothing at the management API.
 */
export function tokenUse(
  instance: Pick<Instance, "managementAudience" | "mcpURLs" | "resources">,
  scopes: readonly string[],
  resource: string | undefined,
): TokenUse | undefined {
  if (resource === undefined) return readByPermission(instance.managementAudience, scopes);
  const isGateway = instance.resources.some(({ url }) => url === resource);
  if (!isGateway) return { title: "Use it", code: `${CURL} ${shellWord(resource)}` };
  const endpoint = instance.mcpURLs.includes(resource) ? resource : (instance.mcpURLs[0] ?? resource);
  return { title: "List the tools", code: listTools(endpoint) };
}

function readByPermission(api: string, scopes: readonly string[]): TokenUse | undefined {
  const [scope, title, path] = READS.find(([needed]) => scopes.includes(needed)) ?? [];
  if (scope === undefined || title === undefined) return undefined;
  return { title, code: `${CURL} ${shellWord(`${api}${path}`)}` };
}

/** MCP 2026-07-28, where each request stands for itself. */
function listTools(endpoint: string): string {
  return `${CURL} ${shellWord(endpoint)} \\
  -H 'Content-Type: application/json' \\
  -H 'Accept: application/json, text/event-stream' \\
  -H 'MCP-Protocol-Version: 2026-07-28' \\
  -H 'Mcp-Method: tools/list' \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {}}}}'`;
}

const CURL = 'curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN"';

const READS: readonly (readonly [scope: string, title: string, path: string])[] = [
  ["tools:read", "List the tools", "/tools"],
  ["audit:read", "Read the audit log", "/audit-events?limit=5"],
  ["sessions:read", "List the agents' sessions", "/mcp-sessions?limit=5"],
];
