import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { textResult } from "../../protocol/mcp/tool-result.ts";
import { connectionTerms } from "../credentials/person-token.ts";
import type { CallableTool, ProxiedTool } from "../tool-index.ts";
import type { AppList } from "./lists.ts";

/** Its name without the namespace: the name that policies see. */
const CONNECT = "connect";

/**
 * The tool of an MCP server that lists its own only with the person's token, which there is none of yet (D214): whoever calls it is
 * told how to connect. Undefined: calls of the app carry no such token.
 */
export function connectTool(app: McpProxyAppConfiguration): ProxiedTool | undefined {
  const connection = connectionTerms(app)("");
  if (connection === undefined) return undefined;
  const name = `${app.namespace}${CONNECT}`;
  const description =
    `The tools of "${app.name}" are there once the person has connected an account at "${connection.outbound.connector}". ` +
    "This tool tells how. List the tools again afterwards.";
  return {
    kind: "proxy",
    tool: { name, localName: CONNECT, description, annotations: ANNOTATIONS },
    listed: () => ({ name, description, inputSchema: { type: "object" }, annotations: ANNOTATIONS }),
    app,
    scopes: [],
    connection,
  };
}

/** The tool as the list of its app, for those who look in lists. */
export function connectList({ app, tool, listed }: ProxiedTool): AppList<"tools"> {
  const { name, localName } = tool;
  const entry = { ...tool, upstreamName: localName, definition: { ...listed() } };
  const list = { kind: "tools", entries: [entry], byName: new Map([[name, entry]]), ttl: 0, weight: 0 } as const;
  return { app, list: { ...list, malformed: [], reduced: [] } };
}

/** It changes nothing by itself, and asks nobody outside. */
const ANNOTATIONS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** The same, ready to be called: where there is a token, there is nothing left to do. */
export function callableConnectTool(app: McpProxyAppConfiguration, name: string): CallableTool | undefined {
  const tool = connectTool(app);
  if (tool === undefined || tool.tool.name !== name) return undefined;
  return {
    ...tool,
    argumentsOf: (call) => call.arguments,
    invoke: async () => ({ result: textResult(CONNECTED), outcome: "success" }),
  };
}

const CONNECTED = "The account is connected. List the tools again: the app has its own now.";
