import type { BridgeTool, CatalogTool, ParamHeader, ToolAnnotations } from "../bridge/catalog.ts";
import { createOpenTool } from "../bridge/open-tool.ts";
import type { Invocation } from "../bridge/response/invocation.ts";
import type {
  AppConfiguration,
  McpAppConfiguration,
  McpBridgeAppConfiguration,
  McpProxyAppConfiguration,
} from "../config/app-configuration.ts";
import { createEchoRedaction } from "./credentials/echoed-secrets.ts";
import type { ExchangeTerms } from "./credentials/terms.ts";
import { createListed, type ListedTool } from "./listed-tool.ts";
import type { StepUp } from "./step-up.ts";
import { createToolTerms } from "./tool-terms.ts";

/** A tool with the app it belongs to and the scopes an agent needs to call it. */
export type LocatedTool = BridgedTool | ProxiedTool;

/** An operation of a REST API. */
export interface BridgedTool extends ToolTerms {
  readonly kind: "bridge";
  readonly tool: CatalogTool;
  /** The tool with its schemas, ready for a call. */
  readonly open: () => BridgeTool;
  /** The tool as lists show it. */
  readonly listed: () => ListedTool;
  readonly app: McpBridgeAppConfiguration;
  /** Takes what the app's calls carry out of a result; absent: they carry no secret of the configuration. */
  readonly withoutSecrets?: ((invocation: Invocation) => Invocation) | undefined;
}

/** A tool of an upstream MCP server. */
export interface ProxiedTool extends ToolTerms {
  readonly kind: "proxy";
  readonly tool: ToolFacts;
  /** The upstream's definition with the name that agents see. Empty where the tool was found by its name alone. */
  readonly listed: () => ListedTool;
  readonly app: McpProxyAppConfiguration;
}

/** What is decided by, whatever kind of tool it is. */
export interface ToolFacts {
  /** The name agents see. */
  readonly name: string;
  /** The name policies see: without the namespace. Of a proxied tool it is the upstream's own. */
  readonly localName: string;
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly paramHeaders?: readonly ParamHeader[];
}

/** What the configuration wants of a tool's calls. */
export interface ToolTerms {
  readonly scopes: readonly string[];
  /** What sign-in it takes; absent: any. */
  readonly stepUp?: StepUp | undefined;
  /** What calls to the upstream carry; absent: nothing. */
  readonly terms?: ExchangeTerms | undefined;
}

/** Every tool of the configuration's REST APIs by the name agents see, in the order of the apps. */
export type ToolIndex = ReadonlyMap<string, BridgedTool>;

/** The first app wins where names clash; the configuration refuses such clashes. */
export function createToolIndex(apps: readonly AppConfiguration[]): ToolIndex {
  const index = new Map<string, BridgedTool>();
  for (const app of bridgeApps(apps)) {
    const open = createOpenTool(app.catalog);
    const termsOf = createToolTerms(app);
    const withoutSecrets = createEchoRedaction(app);
    for (const tool of app.catalog.tools) {
      if (index.has(tool.name)) continue;
      const opened = () => open(tool);
      index.set(tool.name, {
        kind: "bridge",
        tool,
        open: opened,
        listed: createListed(opened),
        app,
        ...termsOf(tool.localName),
        withoutSecrets,
      });
    }
  }
  return index;
}

export function bridgeApps(apps: readonly AppConfiguration[]): readonly McpBridgeAppConfiguration[] {
  return apps.filter((app) => app.type === "mcpBridge");
}

export function proxyApps(apps: readonly AppConfiguration[]): readonly McpProxyAppConfiguration[] {
  return apps.filter((app) => app.type === "mcpProxy");
}

/** Those whose tools agents call. */
export function mcpApps(apps: readonly AppConfiguration[]): readonly McpAppConfiguration[] {
  return apps.filter((app) => app.type !== "oidc");
}

/** Every scope that some tool needs: what a client may ask for at its authorization server. */
export function scopesOf(index: ToolIndex, proxies: readonly McpProxyAppConfiguration[]): readonly string[] {
  const bridged = [...index.values()].flatMap(({ scopes }) => scopes);
  const proxied = proxies.flatMap(({ inboundTools }) => inboundTools.flatMap(({ scopes }) => scopes));
  return [...new Set([...bridged, ...proxied])].sort();
}
