import type { McpAppConfiguration } from "../../config/app-configuration.ts";
import type { ConfigurationSnapshot } from "../../config/configuration.ts";
import { gatewayPart, OVERRIDE_KINDS, overridesOf } from "../../config/overrides/overrides.ts";
import type { GatewaySettings } from "../../config/settings/settings.ts";
import { type ConfiguredSetting, SETTING_NAMES, settingValues } from "../../config/settings/settings.ts";
import type { WebAppConfiguration } from "../../config/web-app-configuration.ts";
import type { OrganizationExplanation } from "../../gateway/explain/explain-for-organization.ts";
import type { OrganizationOf } from "../../gateway/organization.ts";
import { pointerTo } from "../../gateway/overrides.ts";
import { mcpApps } from "../../gateway/tool-index.ts";
import type { UpstreamStates } from "../../gateway/upstream-states.ts";
import { sessionExpiresAt } from "../../stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../stores/mcp-sessions.ts";
import type { SettingsRecord } from "../../stores/settings.ts";
import type { UpstreamGuard } from "../../upstream/guard/guard.ts";
import { webAppsOf } from "../../web-apps/web-apps.ts";
import type { CallExplanation } from "../schemas/explanations.ts";
import type { GatewaySettings as SettingsAnswer } from "../schemas/gateway-settings.ts";
import type { McpSession } from "../schemas/mcp-sessions.ts";
import type { OrganizationOverrides as OverridesAnswer } from "../schemas/overrides.ts";
import type { Upstream } from "../schemas/upstreams.ts";

/** Of the credential nothing: its step says what calls carry. */
export function representExplanation({ claims, explanation }: OrganizationExplanation): CallExplanation {
  const { tool, decision, steps } = explanation;
  return { tool, decision, claims, steps };
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
