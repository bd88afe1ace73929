import type { Instance } from "../../../lib/management/schemas/instance.ts";
import type { Tool } from "../../../lib/management/schemas/tools.ts";
import type { TriedClient } from "../../configuration-trial/protocol.ts";

export interface Sample {
  readonly app: string;
  /** Undefined: the app is an MCP server, whose tools the page does not know. */
  readonly tool: Tool | undefined;
  /** What such a tool is called, without namespace. */
  readonly toolName: string;
  readonly client: TriedClient | undefined;
  readonly instance: Instance | undefined;
}

/** Seconds that a token is valid for, where nobody asks. */
const LIFETIME = 3_600;

/** JSON text of what policies see of a call of an API client for itself, as docs/policies.md has it. */
export function sampleInput({ app, tool, toolName, client, instance }: Sample): string {
  const clientID = client?.clientId ?? "client_1";
  const issuedAt = Math.floor(Date.now() / 1_000);
  const { isMade, ...request } =
    tool === undefined ? { isMade: false } : { isMade: true, method: tool.method, path: tool.path };
  const input = {
    request: {
      http: isMade ? { ...request, query: {}, headers: {} } : {},
      mcp: {
        method: "tools/call",
        app,
        http: { method: "POST", path: "/mcp", headers: {} },
        tool: { params: { name: tool?.localName ?? toolName, arguments: {} } },
      },
    },
    user: {},
    agent: { clientID },
    token: {
      claims: {
        iss: instance?.issuer ?? location.origin,
        sub: clientID,
        aud: client?.resources[0] ?? instance?.mcpURLs[0] ?? `${location.origin}/mcp`,
        client_id: clientID,
        scope: (client?.scopes ?? tool?.scopes ?? []).join(" "),
        iat: issuedAt,
        exp: issuedAt + LIFETIME,
      },
    },
  };
  return JSON.stringify(input, null, 2);
}
