import type { GatewaySettings } from "../../config/settings/gateway-settings.ts";
import type { Component } from "../../health/component.ts";

/** Down while what is stored does not fit the YAML document. The looks at the store bring it up. */
export function settingsComponents(gatewaySettings: GatewaySettings | undefined): readonly Component[] {
  if (gatewaySettings === undefined) return [];
  return [
    {
      name: "gateway-settings",
      status: () => (gatewaySettings.appliedRevision() === undefined ? "down" : "up"),
      isDue: () => false,
      attempt: () => Promise.resolve(),
    },
  ];
}
