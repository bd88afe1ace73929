import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";

export type Settings = GatewaySettings["settings"];
/** Limits have a page of their own. */
export type SettingName = Exclude<keyof Settings, "limits">;
export type SettingValue = string | boolean;

interface About {
  readonly label: string;
  readonly words: string;
}

/** What each setting is, for people. */
export const ABOUT: Readonly<Record<SettingName, About>> = {
  enabled: { label: "Gateway", words: "Agents of all organizations connect to this instance." },
  serverName: { label: "Server name", words: "The name of the gateway that agents see." },
  streamPath: { label: "Stream endpoint", words: "The path at which agents connect by Streamable HTTP, such as /mcp." },
  sessionHeaderName: {
    label: "Session header",
    words:
      "The HTTP header that carries the id of a session. Agents expect Mcp-Session-Id unless they are told another.",
  },
  sessionTimeout: {
    label: "Session timeout",
    words: "How long a session may idle before it ends: a duration such as 90s, 30m, 1h or 1h30m.",
  },
  allowClientTermination: {
    label: "Client termination",
    words: "Agents may end their own sessions. Without it, sessions end when they idle, or in the Console.",
  },
  oauthEnabled: {
    label: "OAuth",
    words:
      "Every request of an agent needs an access token. If this is off, anybody who reaches the address can call the tools.",
  },
};

export interface SettingGroup {
  readonly title: string;
  readonly names: readonly SettingName[];
}

export const GROUPS: readonly SettingGroup[] = [
  { title: "Gateway", names: ["enabled", "serverName", "streamPath"] },
  { title: "Access", names: ["oauthEnabled"] },
  { title: "Sessions", names: ["sessionTimeout", "sessionHeaderName", "allowClientTermination"] },
];

export const SETTING_NAMES = GROUPS.flatMap(({ names }) => names);

/** A value as people read it. */
export function valueText(value: SettingValue): string {
  return typeof value === "string" ? value : value ? "On" : "Off";
}
