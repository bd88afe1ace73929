import type { JsonObject } from "../../json.ts";
import { type Path, valueAt } from "../path.ts";

/** What the Console may set of the gateway; durations are texts as in the YAML document. */
export type SettingName =
  | "enabled"
  | "serverName"
  | "streamPath"
  | "sessionHeaderName"
  | "sessionTimeout"
  | "allowClientTermination"
  | "oauthEnabled";

export interface GatewaySetting {
  readonly name: SettingName;
  /** Its place in the YAML document. */
  readonly path: Path;
  /** Another name of the same place. */
  readonly alias?: Path;
  /** What holds where the document says nothing. */
  readonly fallback: SettingValue;
}

export type SettingValue = string | boolean;

/** Values by setting, valid or not; an absent one is as the YAML document has it. */
export type SettingValues = Readonly<Partial<Record<SettingName, unknown>>>;

/** What the YAML document says of a setting, and what holds where it says nothing. */
export interface ConfiguredSetting {
  readonly value: SettingValue;
  readonly origin: "yaml" | "default";
}

export type ConfiguredSettings = Readonly<Record<SettingName, ConfiguredSetting>>;

const STREAM = ["mcpProvider", "transports", "stream"] as const;

export const GATEWAY_SETTINGS: readonly GatewaySetting[] = [
  { name: "enabled", path: ["mcpProvider", "enabled"], fallback: false },
  { name: "serverName", path: ["mcpProvider", "serverName"], fallback: "Countersign AI Identity Gateway" },
  { name: "streamPath", path: [...STREAM, "path"], alias: [...STREAM, "endpointPath"], fallback: "/mcp" },
  { name: "sessionHeaderName", path: [...STREAM, "session", "headerName"], fallback: "Mcp-Session-Id" },
  { name: "sessionTimeout", path: [...STREAM, "session", "timeout"], fallback: "1h" },
  { name: "allowClientTermination", path: [...STREAM, "session", "allowClientTermination"], fallback: true },
  { name: "oauthEnabled", path: ["mcpProvider", "authorization", "oauth", "enabled"], fallback: false },
];

export const SETTING_NAMES: readonly SettingName[] = GATEWAY_SETTINGS.map(({ name }) => name);

/** The settings among the members of an object; null is none. Those of another release are left out. */
export function settingValues(values: JsonObject): SettingValues {
  const set = SETTING_NAMES.filter((name) => (values[name] ?? undefined) !== undefined);
  return Object.fromEntries(set.map((name) => [name, values[name]]));
}

/** The settings of a valid, filled document; undefined when it has no gateway, so that there is nothing to set. */
export function configuredSettings(document: unknown): ConfiguredSettings | undefined {
  if (valueAt(document, ["mcpProvider"]) === undefined) return undefined;
  const found = GATEWAY_SETTINGS.map((setting) => [setting.name, configuredSetting(document, setting)] as const);
  return Object.fromEntries(found) as Record<SettingName, ConfiguredSetting>;
}

function configuredSetting(document: unknown, { path, alias, fallback }: GatewaySetting): ConfiguredSetting {
  const value = valueAt(document, path) ?? (alias && valueAt(document, alias));
  return value === undefined
    ? { value: fallback, origin: "default" }
    : { value: value as SettingValue, origin: "yaml" };
}
