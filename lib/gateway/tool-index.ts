import type {
  AppConfiguration,
  McpAppConfiguration,
  McpBridgeAppConfiguration,
  McpProxyAppConfiguration,
} from "../config/app-configuration.ts";
import { firstNaming } from "../config/tool-names.ts";
import { lazy } from "../kernel/lazy.ts";
import { lazyMap } from "../kernel/lazy-map.ts";
import type { BridgeTool, CatalogTool, ParamHeader, ToolAnnotations } from "../openapi/catalog.ts";
import type { PreparedRequest } from "../openapi/invoke.ts";
import { createOpenTool } from "../openapi/open-tool.ts";
import type { Invocation } from "../openapi/response/invocation.ts";
import type { RuledArguments } from "../tool-rules/argument-rules.ts";
import type { ForwardedCall } from "../upstream/answer.ts";
import { withPropertyObjects } from "../upstream/catalog/output-schema.ts";
import { type ToolVersion, toolVersion } from "../upstream/catalog/tool-version.ts";
import { createEchoRedaction } from "./credentials/echoed-secrets.ts";
import type { NotConnected } from "./credentials/person-token.ts";
import type { OutboundCredential, ToolCall } from "./tool-call.ts";
import { type RuledTool, ruledTool, shownTool } from "./tool-rules.ts";
import { createToolTerms, type ToolTerms } from "./tool-terms.ts";

/** A tool with the app it belongs to and the scopes an agent needs to call it. */
export type LocatedTool = BridgedTool | ProxiedTool;

/** A tool that knows how to invoke itself. */
export type CallableTool = LocatedTool & Invocable;

/** What differs between calls of one kind of app and of another. */
export interface Invocable {
  /** The arguments as they go out, and as they are recorded: where the upstream gets them as they were written, with exact numbers. */
  readonly argumentsOf: (call: ToolCall) => unknown;
  /** The same after the rules of the tool, or why the call is not made; absent: it has none. */
  readonly ruledOf?: (call: ToolCall) => RuledArguments | undefined;
  /** The HTTP request that the call makes of a REST API, made once; absent: it makes none. */
  readonly requestOf?: (call: ToolCall) => PreparedRequest;
  /** Makes the call. Whatever goes wrong at the upstream is a result that says so. */
  readonly invoke: (given: unknown, credential: OutboundCredential, call: ToolCall) => Promise<MadeCall>;
}

/** What came of a call. */
export type MadeCall = (Invocation | ForwardedCall) & {
  /** The upstream did nothing: its person has to connect first, or again. */
  readonly needs?: NotConnected | undefined;
  /** Of the audit record. */
  readonly details?: Readonly<Record<string, string>>;
};

/** What is pinned of a tool. */
export interface PinnedFacts {
  /** As its upstream told it; absent: its app pins nothing, or nobody knows. */
  readonly pin?: () => ToolVersion;
}

/** An operation of a REST API. */
export interface BridgedTool extends ToolTerms, RuledTool, PinnedFacts {
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
export interface ProxiedTool extends ToolTerms, RuledTool, PinnedFacts {
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

/** Every tool of the configuration's REST APIs by the name agents see, in the order of the apps. */
export type ToolIndex = ReadonlyMap<string, BridgedTool>;

/** The same, ready to be called. */
export type CallableIndex = ReadonlyMap<string, BridgedTool & Invocable>;

/**
 * The first app wins where names clash; the configuration refuses such clashes. Each entry is made when it is first asked for: a
 * configuration that replaces another one is in use at once, however many tools it has.
 */
export function createToolIndex(apps: readonly AppConfiguration[]): ToolIndex {
  const sources = new Map<
    string,
    { readonly tool: CatalogTool; readonly locate: (tool: CatalogTool) => BridgedTool }
  >();
  for (const app of bridgeApps(apps)) {
    const locate = createLocate(app);
    for (const tool of app.catalog.tools) if (!sources.has(tool.name)) sources.set(tool.name, { tool, locate });
  }
  return lazyMap(sources, ({ tool, locate }) => locate(tool));
}

function createLocate(app: McpBridgeAppConfiguration): (tool: CatalogTool) => BridgedTool {
  const open = createOpenTool(app.catalog);
  const termsOf = createToolTerms(app);
  const withoutSecrets = createEchoRedaction(app);
  return (tool) => {
    const opened = () => open(tool);
    const terms = termsOf(tool.localName);
    const ruled = ruledTool(terms, opened);
    return {
      kind: "bridge",
      tool,
      open: opened,
      listed: shownTool(ruled, createListed(opened)),
      app,
      ...terms,
      ...ruled,
      ...((app.pins || terms.approval) && { pin: lazy(() => bridgedVersion(opened())) }),
      withoutSecrets,
    };
  };
}

/** All that a call is made of, as the document and the configuration have it: where an argument goes counts as much as what it is called. */
function bridgedVersion({ localName, request, ...tool }: BridgeTool): ToolVersion {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  const { declared: _, ...made } = request;
  const told = { name: localName, title, description, inputSchema, outputSchema, annotations, request: made };
  return toolVersion(localName, told);
}

/** The versions of all tools of each REST API that pins them, by the app's name. */
export function documentVersions(
  index: ToolIndex,
  apps: readonly AppConfiguration[],
): ReadonlyMap<string, () => readonly ToolVersion[]> {
  const pinning = bridgeApps(apps).filter(({ pins, catalog }) => pins !== undefined && catalog.tools.length > 0);
  const toolsOf = (app: McpBridgeAppConfiguration) =>
    app.catalog.tools.flatMap(({ name }) => index.get(name) ?? []).filter((tool) => tool.app === app);
  return new Map(pinning.map((app) => [app.name, () => toolsOf(app).flatMap(({ pin }) => pin?.() ?? [])]));
}

export function bridgeApps(apps: readonly AppConfiguration[]): readonly McpBridgeAppConfiguration[] {
  return apps.filter((app) => app.type === "mcpBridge");
}

export function proxyApps(apps: readonly AppConfiguration[]): readonly McpProxyAppConfiguration[] {
  return apps.filter((app) => app.type === "mcpProxy");
}

/** Those whose tools agents call. */
export function mcpApps(apps: readonly AppConfiguration[]): readonly McpAppConfiguration[] {
  return apps.filter((app) => app.type === "mcpBridge" || app.type === "mcpProxy");
}

/** Every scope that some tool needs: what a client may ask for at its authorization server. */
export function scopesOf(apps: readonly AppConfiguration[]): readonly string[] {
  return [...new Set(mcpApps(apps).flatMap(scopesOfApp))].sort();
}

/** Those of a REST API's tools; of an MCP server's, which nobody knows yet, all that the configuration names. */
export function scopesOfApp(app: McpAppConfiguration): readonly string[] {
  if (app.type === "mcpProxy") return app.inboundTools.flatMap(({ scopes }) => scopes);
  const entryOf = firstNaming(app.inboundTools, ({ name }) => [name]);
  return app.catalog.tools.flatMap(({ localName }) => entryOf(localName)?.scopes ?? []);
}

/** A tool as `tools/list` shows it. */
export type ListedTool = Pick<
  BridgeTool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "annotations"
>;

/** What shows a tool: one object for all lists, so that its text is written once. */
export function createListed(open: () => BridgeTool): () => ListedTool {
  let listed: ListedTool | undefined;
  return () => {
    listed ??= listedTool(open());
    return listed;
  };
}

export function listedTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: BridgeTool): ListedTool {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: withPropertyObjects(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: withPropertyObjects(outputSchema) }),
    annotations,
  };
}
