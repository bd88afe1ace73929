import type { JsonObject } from "../../kernel/json.ts";
import type { WaitUntil } from "../../kernel/refreshing-cache.ts";
import type { SettingsRecord } from "../../stores/settings.ts";
import type { ConfigurationArtifact } from "../artifact.ts";
import type { Configuration } from "../configuration.ts";
import type { OverrideKind, OverrideValues, OverridingOrganization } from "../overrides/overrides.ts";
import { type Path, pathText, setValueAt, valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

/** What the Console may set of the gateway; durations are texts as in the YAML document. */
export type SettingName =
  | "enabled"
  | "serverName"
  | "streamPath"
  | "sessionHeaderName"
  | "sessionTimeout"
  | "allowClientTermination"
  | "oauthEnabled"
  | "limits";

export interface GatewaySetting {
  readonly name: SettingName;
  /** Its place in the YAML document. */
  readonly path: Path;
  /** Another name of the same place. */
  readonly alias?: Path;
  /** What holds where the document says nothing. */
  readonly fallback: SettingValue;
}

/** Of `limits` the entries as the YAML document has them. */
export type SettingValue = string | boolean | readonly JsonObject[];

/** Values by setting, valid or not; an absent one is as the YAML document has it. */
export type SettingValues = Readonly<Partial<Record<SettingName, unknown>>>;

/** What the YAML document says of a setting, and what holds where it says nothing. */
export interface ConfiguredSetting {
  readonly value: SettingValue;
  readonly origin: "yaml" | "default";
}

export type ConfiguredSettings = Readonly<Record<SettingName, ConfiguredSetting>>;

/** Why settings are refused. */
export interface SettingProblem {
  /** Absent: no single change is the cause. */
  readonly name?: SettingName;
  /** Where inside of the setting: a JSON Pointer (RFC 6901), `/0/rate`. Absent: the whole of it. */
  readonly below?: string;
  readonly detail: string;
}

const STREAM = ["mcpProvider", "transports", "stream"] as const;

export const GATEWAY_SETTINGS: readonly GatewaySetting[] = [
  { name: "enabled", path: ["mcpProvider", "enabled"], fallback: false },
  { name: "serverName", path: ["mcpProvider", "serverName"], fallback: "Countersign AI Identity Gateway" },
  { name: "streamPath", path: [...STREAM, "path"], alias: [...STREAM, "endpointPath"], fallback: "/mcp" },
  { name: "sessionHeaderName", path: [...STREAM, "session", "headerName"], fallback: "Mcp-Session-Id" },
  { name: "sessionTimeout", path: [...STREAM, "session", "timeout"], fallback: "1h" },
  { name: "allowClientTermination", path: [...STREAM, "session", "allowClientTermination"], fallback: true },
  { name: "oauthEnabled", path: ["mcpProvider", "authorization", "oauth", "enabled"], fallback: false },
  { name: "limits", path: ["limits"], fallback: [] },
];

export const SETTING_NAMES: readonly SettingName[] = GATEWAY_SETTINGS.map(({ name }) => name);

/** The settings among the members of an object; null is none. Those of another release are left out. */
export function settingValues(values: JsonObject): SettingValues {
  const set = SETTING_NAMES.filter((name) => (values[name] ?? undefined) !== undefined);
  return Object.fromEntries(set.map((name) => [name, values[name]]));
}

export function isSameSetting(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
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

/** The settings of the gateway that people keep in the store, as this instance follows them (D130). */
export interface GatewaySettings {
  /** What holds without them. */
  configured(): ConfiguredSettings;
  /** The revision in use, of what is set of the gateway (`gatewayPart`); undefined while the YAML document does not allow what is stored, and no gateway is served. */
  appliedRevision(): number | undefined;
  /** Why these values, which would follow `former` ones, are refused; empty when they are acceptable. */
  check(values: SettingValues, former: SettingValues): Promise<readonly SettingProblem[]>;
  /** What organizations may set beside them, and what becomes of it. */
  readonly overrides: OrganizationOverrides;
  /** Uses what was just stored, without waiting for the next look. */
  use(record: SettingsRecord): Promise<void>;
  /**
   * Waits for a look at the store where the last one was too long ago, but not for long: for runtimes where nothing runs
   * between requests. Never rejects.
   */
  upToDate(waitUntil: WaitUntil): Promise<void>;
}

/** What organizations have set for themselves, as this instance follows it (D248). */
export interface OrganizationOverrides {
  /** What the configuration lets them set. */
  overridable(): readonly OverrideKind[];
  /** Why these values are refused; empty when they are acceptable. Paths begin with the kind. */
  check(values: OverrideValues, organization: OverridingOrganization): readonly Problem[];
  /** Whether an organization may try to change what it sets; if so, that counts. In this instance's memory: also what is refused costs time. */
  takeAttempt(organizationId: string): boolean;
  /** What of an organization is stored and not in use. */
  leftOut(organizationId: string): readonly Problem[];
  /** Of the settings record in use. */
  appliedRevision(): number;
}

/** What the YAML document says with the secrets of the moment. */
export interface ResolvedDocument {
  readonly configuration: Configuration;
  /** Absent: it has no `mcpProvider`. */
  readonly configured?: ConfiguredSettings | undefined;
  /** The configuration with these values in the document. Rejects with ConfigurationError when they do not fit. */
  readonly resolveWith: (values: SettingValues) => Promise<Configuration>;
}

/**
 * The artifact with such values in the place of what its YAML document has there, placeholders included, so that the same
 * schema and the same rules judge them (D130).
 * @param publicURL of the document as it is: with settings it must not be derived from something else
 */
export function overlaid(
  artifact: ConfigurationArtifact,
  values: SettingValues,
  publicURL: string,
): ConfigurationArtifact {
  const document = structuredClone(artifact.document);
  const replaced: string[] = [];
  for (const { name, path, alias } of GATEWAY_SETTINGS) {
    if (values[name] === undefined) continue;
    put(document, path, values[name]);
    replaced.push(pathText(path));
    if (alias === undefined) continue;
    remove(document, alias);
    replaced.push(pathText(alias));
  }
  if (valueAt(document, PUBLIC_URL) === undefined) put(document, PUBLIC_URL, publicURL);
  const placeholders = artifact.placeholders.filter(
    ({ path }) => !replaced.some((one) => isAtOrBelow(pathText(path), one)),
  );
  return { ...artifact, document, placeholders };
}

/** Whether a place is another one or inside of it, both as texts. */
export function isAtOrBelow(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}[`) || place.startsWith(`${other}.`);
}

const PUBLIC_URL: Path = ["http", "publicURL"];

/** Sets the value at a place, and makes the mappings around it that are not there. */
function put(document: unknown, path: Path, value: unknown): void {
  for (let length = 1; length < path.length; length++) {
    const around = path.slice(0, length);
    if (valueAt(document, around) === undefined) setValueAt(document, around, {});
  }
  setValueAt(document, path, value);
}

function remove(document: unknown, path: Path): void {
  const parent = valueAt(document, path.slice(0, -1));
  const key = path.at(-1);
  if (typeof parent === "object" && parent !== null && key !== undefined) Reflect.deleteProperty(parent, key);
}
