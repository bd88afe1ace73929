import type { GatewaySettings } from "../../config/settings/gateway-settings.ts";
import {
  type ConfiguredSetting,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
  settingValues,
} from "../../config/settings/settings.ts";
import type { SettingsRecord } from "../../stores/settings.ts";

/** A setting as the management API shows it. */
export interface SettingRepresentation {
  readonly value: SettingValue;
  readonly origin: ConfiguredSetting["origin"] | "console";
  /** What holds without the Console. */
  readonly configured: SettingValue;
}

export interface SettingsRepresentation {
  readonly settings: Readonly<Record<SettingName, SettingRepresentation>>;
  /** ISO 8601. */
  readonly updatedAt?: string;
  readonly updatedBy?: string;
  /** Whether this instance works with them already. */
  readonly isApplied: boolean;
}

/** Stored settings, with what the YAML document says. */
export function describeSettings(
  { values, revision, updatedAt, updatedBy }: SettingsRecord,
  gatewaySettings: Pick<GatewaySettings, "configured" | "appliedRevision">,
): SettingsRepresentation {
  const configured = gatewaySettings.configured();
  const set = settingValues(values);
  const described = SETTING_NAMES.map((name) => [name, describe(set[name], configured[name])] as const);
  return {
    settings: Object.fromEntries(described) as Record<SettingName, SettingRepresentation>,
    ...(updatedAt !== undefined && { updatedAt: new Date(updatedAt).toISOString() }),
    ...(updatedBy !== undefined && { updatedBy }),
    isApplied: gatewaySettings.appliedRevision() === revision,
  };
}

function describe(set: unknown, { value, origin }: ConfiguredSetting): SettingRepresentation {
  return set === undefined
    ? { value, origin, configured: value }
    : { value: set as SettingValue, origin: "console", configured: value };
}
