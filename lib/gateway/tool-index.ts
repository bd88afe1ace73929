import type { BridgeTool, CatalogTool } from "../bridge/catalog.ts";
import { createOpenTool } from "../bridge/open-tool.ts";
import type { Invocation } from "../bridge/response/invocation.ts";
import type { AppConfiguration, McpBridgeAppConfiguration } from "../config/app-configuration.ts";
import { firstNaming } from "../config/tool-pattern.ts";
import { createEchoRedaction } from "./credentials/echoed-secrets.ts";
import { type ExchangeTerms, exchangeTerms } from "./credentials/terms.ts";
import { createListed, type ListedTool } from "./listed-tool.ts";
import { type StepUp, stepUpOf } from "./step-up.ts";

/** A tool with the app it belongs to and the scopes an agent needs to call it. */
export interface LocatedTool {
  readonly tool: CatalogTool;
  /** The tool with its schemas, ready for a call. */
  readonly open: () => BridgeTool;
  /** The tool as lists show it. */
  readonly listed: () => ListedTool;
  readonly app: McpBridgeAppConfiguration;
  readonly scopes: readonly string[];
  /** What sign-in it takes; absent: any. */
  readonly stepUp?: StepUp | undefined;
  /** What calls to the upstream carry; absent: nothing. */
  readonly terms?: ExchangeTerms | undefined;
  /** Takes what the app's calls carry out of a result; absent: they carry no secret of the configuration. */
  readonly withoutSecrets?: ((invocation: Invocation) => Invocation) | undefined;
}

/** Every tool of the configuration by the name agents see, in the order of the apps. */
export type ToolIndex = ReadonlyMap<string, LocatedTool>;

/** The first app wins where names clash; the configuration refuses such clashes. */
export function createToolIndex(apps: readonly AppConfiguration[]): ToolIndex {
  const index = new Map<string, LocatedTool>();
  for (const app of bridgeApps(apps)) {
    const open = createOpenTool(app.catalog);
    const inboundOf = firstNaming(app.inboundTools, ({ name }) => [name]);
    const [stepUp, terms] = [stepUpOf(app), exchangeTerms(app)];
    const withoutSecrets = createEchoRedaction(app);
    for (const tool of app.catalog.tools) {
      if (index.has(tool.name)) continue;
      const opened = () => open(tool);
      index.set(tool.name, {
        tool,
        open: opened,
        listed: createListed(opened),
        app,
        scopes: inboundOf(tool.localName)?.scopes ?? [],
        stepUp: stepUp(tool.localName),
        terms: terms(tool.localName),
        withoutSecrets,
      });
    }
  }
  return index;
}

export function bridgeApps(apps: readonly AppConfiguration[]): readonly McpBridgeAppConfiguration[] {
  return apps.filter((app) => app.type === "mcpBridge");
}

/** Every scope that some tool needs: what a client may ask for at its authorization server. */
export function scopesOf(index: ToolIndex): readonly string[] {
  return [...new Set([...index.values()].flatMap(({ scopes }) => scopes))].sort();
}
