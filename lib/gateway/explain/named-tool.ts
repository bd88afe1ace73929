import type { AppConfiguration } from "../../config/app-configuration.ts";
import { isOffered } from "../../proxy/catalog/offered.ts";
import { ownName } from "../../proxy/names/namespaced.ts";
import { type ProxiedTool, proxyApps } from "../tool-index.ts";
import { createToolTerms } from "../tool-terms.ts";

/**
 * The tool of an MCP server that a name stands for as far as the configuration tells: of the first app that may have it.
 * Undefined also for a name that was cut, which the server's list alone knows.
 */
export async function namedTool(name: string, apps: readonly AppConfiguration[]): Promise<ProxiedTool | undefined> {
  for (const app of proxyApps(apps)) {
    const localName = await ownName(app.namespace, name);
    if (localName === undefined || !isOffered(app, localName)) continue;
    const listed = { name, inputSchema: { type: "object" }, annotations: {} };
    const tool = { name, localName, annotations: {} };
    return { kind: "proxy", tool, listed: () => listed, app, ...createToolTerms(app)(localName) };
  }
  return undefined;
}
