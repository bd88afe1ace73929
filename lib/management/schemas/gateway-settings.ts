import { type Shape, TIME } from "./common.ts";

const ORIGIN = {
  title: "SettingOrigin",
  description: "Where the value comes from: the configuration file, its default, or the Console.",
  enum: ["yaml", "default", "console"],
} as const;

const SWITCH = {
  title: "SwitchSetting",
  type: "object",
  properties: {
    value: { type: "boolean" },
    origin: ORIGIN,
    configured: {
      type: "boolean",
      description: "What holds without the Console: the configuration file or its default.",
    },
  },
  required: ["value", "origin", "configured"],
  additionalProperties: false,
} as const;

const TEXT = {
  title: "TextSetting",
  type: "object",
  properties: {
    value: { type: "string" },
    origin: ORIGIN,
    configured: {
      type: "string",
      description: "What holds without the Console: the configuration file or its default.",
    },
  },
  required: ["value", "origin", "configured"],
  additionalProperties: false,
} as const;

export const GATEWAY_SETTINGS = {
  title: "GatewaySettings",
  type: "object",
  properties: {
    settings: {
      type: "object",
      properties: {
        enabled: SWITCH,
        serverName: TEXT,
        streamPath: TEXT,
        sessionHeaderName: TEXT,
        sessionTimeout: TEXT,
        allowClientTermination: SWITCH,
        oauthEnabled: SWITCH,
      },
      required: [
        "enabled",
        "serverName",
        "streamPath",
        "sessionHeaderName",
        "sessionTimeout",
        "allowClientTermination",
        "oauthEnabled",
      ],
      additionalProperties: false,
    },
    updatedAt: TIME,
    updatedBy: { type: "string", description: "`user_…`." },
    isApplied: { type: "boolean", description: "This instance works with what is shown already." },
  },
  required: ["settings", "isApplied"],
  additionalProperties: false,
} as const;

const CHANGED_SWITCH = { type: ["boolean", "null"] } as const;
const CHANGED_TEXT = { type: ["string", "null"] } as const;

/** All that is set in the Console. */
export const GATEWAY_SETTINGS_CHANGE = {
  title: "GatewaySettingsChange",
  description: "All that is set in the Console: what is absent or `null` is as the configuration file has it.",
  type: "object",
  properties: {
    enabled: CHANGED_SWITCH,
    serverName: CHANGED_TEXT,
    streamPath: CHANGED_TEXT,
    sessionHeaderName: CHANGED_TEXT,
    sessionTimeout: { ...CHANGED_TEXT, examples: ["1h"] },
    allowClientTermination: CHANGED_SWITCH,
    oauthEnabled: CHANGED_SWITCH,
  },
  additionalProperties: false,
} as const;

export type GatewaySettings = Shape<typeof GATEWAY_SETTINGS>;
export type GatewaySettingsChange = Shape<typeof GATEWAY_SETTINGS_CHANGE>;
