import type { GatewaySettings } from "../../config/settings/gateway-settings.ts";
import { type ConfiguredSetting, SETTING_NAMES, settingValues } from "../../config/settings/settings.ts";
import type { GatewaySettings as SettingsAnswer } from "../../management/schemas/gateway-settings.ts";
import type { SettingsRecord } from "../../stores/settings.ts";

/** Stored settings, with what the YAML document says. */
export function describeSettings(
  { values, revision, updatedAt, updatedBy }: SettingsRecord,
  gatewaySettings: Pick<GatewaySettings, "configured" | "appliedRevision">,
): SettingsAnswer {
  const configured = gatewaySettings.configured();
  const set = settingValues(values);
  const described = SETTING_NAMES.map((name) => [name, describe(set[name], configured[name])] as const);
  return {
    settings: Object.fromEntries(described) as SettingsAnswer["settings"],
    ...(updatedAt !== undefined && { updatedAt: new Date(updatedAt).toISOString() }),
    ...(updatedBy !== undefined && { updatedBy }),
    isApplied: gatewaySettings.appliedRevision() === revision,
  };
}

function describe(set: unknown, { value, origin }: ConfiguredSetting) {
  return set === undefined
    ? { value, origin, configured: value }
    : { value: set, origin: "console", configured: value };
}
