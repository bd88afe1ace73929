import type {
  McpAppConfiguration,
  McpProxyAppConfiguration,
  TokenExchangeConfiguration,
} from "../../config/app-configuration.ts";
import { present } from "../../config/assemble/context.ts";
import type { ConfigurationSnapshot } from "../../config/configuration.ts";
import { gatewayPart, OVERRIDE_KINDS, overridesOf } from "../../config/overrides/overrides.ts";
import type { GatewaySettings } from "../../config/settings/settings.ts";
import { type ConfiguredSetting, SETTING_NAMES, settingValues } from "../../config/settings/settings.ts";
import type { WebAppConfiguration } from "../../config/web-app-configuration.ts";
import { DEFAULT_TTL, type ExchangeTerms } from "../../gateway/credentials/exchange.ts";
import type { OrganizationExplanation } from "../../gateway/explain/explain-for-organization.ts";
import { createOrganizationOf, type OrganizationOf } from "../../gateway/organization.ts";
import { pointerTo } from "../../gateway/overrides.ts";
import { type BridgedTool, bridgeApps, createToolIndex, mcpApps, proxyApps } from "../../gateway/tool-index.ts";
import type { Trial as IssuedTrial } from "../../gateway/trial.ts";
import type { UpstreamStates } from "../../gateway/upstream-states.ts";
import { ProblemError } from "../../kernel/problem.ts";
import { sessionExpiresAt } from "../../stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../stores/mcp-sessions.ts";
import type { SettingsRecord } from "../../stores/settings.ts";
import type { UpstreamGuard } from "../../upstream/guard/guard.ts";
import { webAppsOf } from "../../web-apps/web-apps.ts";
import type { ManagementPorts } from "../ports.ts";
import type { CallExplanation } from "../schemas/explanations.ts";
import type { GatewaySettings as SettingsAnswer } from "../schemas/gateway-settings.ts";
import type { McpSession } from "../schemas/mcp-sessions.ts";
import type { OrganizationOverrides as OverridesAnswer } from "../schemas/overrides.ts";
import type { McpServer, Tool, ToolDetails, ToolList, Trial } from "../schemas/tools.ts";
import type { Upstream } from "../schemas/upstreams.ts";

export interface OrganizationTools {
  /** What its apps offer, and the operations that became no tool. */
  list(organizationId: string): Promise<ToolList>;
  /** @throws ProblemError `not_found` for a tool that is not the organization's */
  one(organizationId: string, name: string): Promise<ToolDetails>;
}

/** Built once a configuration. */
export function createOrganizationTools(dependencies: ManagementPorts): OrganizationTools {
  const { apps } = dependencies.configuration().configuration;
  const tools = createToolIndex(apps);
  const organizationOf = createOrganizationOf(dependencies);
  return {
    async list(organizationId) {
      const own: McpAppConfiguration[] = [];
      for (const app of mcpApps(apps)) if ((await organizationOf(app)) === organizationId) own.push(app);
      return {
        items: [...tools.values()].filter(({ app }) => own.includes(app)).map(represent),
        servers: proxyApps(own).map(server),
        leftOut: bridgeApps(own).flatMap(({ name, catalog }) =>
          catalog.leftOut.map(({ localName: _, ...operation }) => ({ app: name, ...operation })),
        ),
      };
    },
    async one(organizationId, name) {
      const tool = tools.get(name);
      if (tool !== undefined && (await organizationOf(tool.app)) === organizationId) return representDetails(tool);
      throw new ProblemError("not_found", "Your organization has no such tool of a REST API.");
    },
  };
}

/** Of credentials kinds and names alone. */
function representDetails(tool: BridgedTool): ToolDetails {
  const { app, stepUp, approval, connection } = tool;
  const { outbound, policies = [], auth = {}, headers = [] } = app;
  const { inputSchema, outputSchema } = tool.listed();
  return {
    ...represent(tool),
    inputSchema,
    policies: policies.map(({ name, engine }) => ({ name, engine })),
    credential: {
      kind: outbound.type,
      schemes: Object.keys(auth),
      headers: headers.map(({ name }) => name),
      ...present({
        issuer: outbound.type === "tokenExchange" ? outbound.idp : connection?.outbound.connector,
        scopes: connection?.scopes,
      }),
    },
    pinned: app.pins !== undefined,
    ...present({
      outputSchema,
      stepUp: stepUp && present({ acr: stepUp.acr, maxAge: stepUp.maxAge && inSeconds(stepUp.maxAge) }),
      approval: approval && { by: approval.by, conditional: approval.when !== undefined },
    }),
  };
}

export function representTrial({ text, url, token, issuer: iss }: IssuedTrial): Trial {
  const { subject, clientId, audience, scopes, expiresAt } = token;
  return {
    accessToken: text,
    url,
    expiresAt: shownTime(expiresAt),
    claims: {
      ...{ iss, sub: subject, client_id: clientId, aud: audience, scope: scopes.join(" ") },
      exp: Math.floor(expiresAt / 1_000),
    },
  };
}

/** Of the credential nothing: its step says what calls carry. */
export function representExplanation({ claims, explanation }: OrganizationExplanation): CallExplanation {
  const { tool, decision, steps } = explanation;
  return { tool, decision, claims, steps };
}

function server({
  name,
  url,
  namespace,
  include,
  exclude,
  inboundTools,
  outbound,
}: McpProxyAppConfiguration): McpServer {
  return {
    app: name,
    origin: new URL(url).origin,
    namespace,
    ...(include !== undefined && { include }),
    ...(exclude !== undefined && { exclude }),
    inbound: inboundTools,
    ...(outbound.type === "tokenExchange" && { exchange: serverExchange(outbound) }),
  };
}

function serverExchange({ mode, audience, tools }: TokenExchangeConfiguration): McpServer["exchange"] {
  return {
    mode,
    audience,
    ttl: inSeconds(DEFAULT_TTL),
    tools: tools.map(({ name, scopes, ttl }) => ({ name, scopes, ttl: inSeconds(ttl) })),
  };
}

function represent({ tool, app, scopes, hasNoRule, terms }: BridgedTool): Tool {
  return {
    name: tool.name,
    localName: tool.localName,
    app: app.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    method: tool.method,
    path: tool.path,
    scopes,
    ...(hasNoRule && { denied: true as const }),
    ...(terms !== undefined && { exchange: toolExchange(terms) }),
    annotations: tool.annotations,
  };
}

function toolExchange({ mode, audience, scopes, ttl }: ExchangeTerms): Tool["exchange"] {
  return { mode, audience, scopes, ttl: inSeconds(ttl) };
}

function inSeconds(milliseconds: number): number {
  return milliseconds / 1_000;
}

export interface UpstreamStatePorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly organizationOf: OrganizationOf;
  readonly upstreams: Pick<UpstreamStates, "state">;
  /** Absent: there is no gateway, and so nothing behind MCP apps. */
  readonly proxies?: { readonly guard: Pick<UpstreamGuard, "states"> };
}

/** The upstreams of an organization's apps. What nothing was sent to since this instance started is unknown. */
export async function organizationUpstreams(
  ports: UpstreamStatePorts,
  organizationId: string,
): Promise<readonly Upstream[]> {
  const { apps } = ports.configuration().configuration;
  const upstreams: Upstream[] = [];
  for (const app of [...(ports.proxies === undefined ? [] : mcpApps(apps)), ...webAppsOf({ apps })]) {
    if ((await ports.organizationOf(app)) === organizationId) upstreams.push(upstreamOf(app, ports));
  }
  return upstreams;
}

function upstreamOf(
  app: McpAppConfiguration | WebAppConfiguration,
  { upstreams, proxies }: UpstreamStatePorts,
): Upstream {
  if (app.type !== "mcpProxy") {
    const [type, url] = app.type === "proxy" ? (["web", app.upstream] as const) : (["bridge", app.baseURL] as const);
    return { app: app.name, type, origin: new URL(url).origin, state: upstreams.state(app.name) };
  }
  const origin = new URL(app.url).origin;
  const guarded = proxies?.guard.states().find((state) => state.app === app.name);
  if (guarded === undefined) return { app: app.name, type: "proxy", origin, state: "unknown" };
  if (guarded.failures === 0) return { app: app.name, type: "proxy", origin, state: "up" };
  return { app: app.name, type: "proxy", origin, state: "down", reason: REASONS[guarded.state] };
}

const REASONS = {
  closed: "The latest request was not answered.",
  open: "Requests are held back, as it does not answer.",
  half_open: "It is being tried again.",
} as const;

/** Stored settings, with what the YAML document says. */
export function describeSettings(
  record: SettingsRecord,
  gatewaySettings: Pick<GatewaySettings, "configured" | "appliedRevision">,
): SettingsAnswer {
  const configured = gatewaySettings.configured();
  const { values } = record;
  const { revision, updatedAt, updatedBy } = gatewayPart(record);
  const set = settingValues(values);
  const described = SETTING_NAMES.map((name) => [name, describe(set[name], configured[name])] as const);
  return {
    settings: Object.fromEntries(described) as SettingsAnswer["settings"],
    ...(updatedAt !== undefined && { updatedAt: new Date(updatedAt).toISOString() }),
    ...(updatedBy !== undefined && { updatedBy }),
    isApplied: gatewaySettings.appliedRevision() === revision,
  };
}

/** What an organization has set, and what of it is in use. */
export function describeOverrides(
  record: SettingsRecord,
  organizationId: string,
  { overrides }: Pick<GatewaySettings, "overrides">,
): OverridesAnswer {
  const { values, revision, updatedAt, updatedBy } = overridesOf(record, organizationId);
  const described = OVERRIDE_KINDS.map((kind) => {
    const value = values[kind];
    return [kind, { value: value ?? [], origin: value === undefined ? "default" : "organization" }] as const;
  });
  return {
    overridable: overrides.overridable(),
    overrides: Object.fromEntries(described) as unknown as OverridesAnswer["overrides"],
    leftOut: overrides
      .leftOut(organizationId)
      .map(({ path, message }) => ({ pointer: pointerTo(path), detail: message })),
    ...(updatedAt !== undefined && { updatedAt: new Date(updatedAt).toISOString() }),
    ...(updatedBy !== undefined && { updatedBy }),
    isApplied: overrides.appliedRevision() >= revision,
  };
}

function describe(set: unknown, { value, origin }: ConfiguredSetting) {
  return set === undefined
    ? { value, origin, configured: value }
    : { value: set, origin: "console", configured: value };
}

/**
 * A session as the management API shows it. What is shown is named here, so that nothing that a record holds besides
 * leaves the process.
 */
export function representSession(session: McpSessionRecord): McpSession {
  const { sessionHash, transport, agent, user, issuer, protocolVersion, clientInfo, startedAt, lastSeenAt } = session;
  return {
    id: sessionHash,
    transport,
    ...(agent !== undefined && { agent }),
    ...(user !== undefined && { user }),
    ...(issuer !== undefined && { issuer }),
    protocolVersion,
    clientInfo,
    startedAt: shownTime(startedAt),
    lastSeenAt: shownTime(lastSeenAt),
    expiresAt: shownTime(sessionExpiresAt(session)),
  };
}

function shownTime(time: number): string {
  return new Date(time).toISOString();
}
