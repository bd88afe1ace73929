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

const ONE_OR_SOME = { type: ["string", "array"], items: { type: "string" } } as const;

/** As in the YAML document: `limits[]`. */
export const LIMIT = {
  title: "Limit",
  description: "As an entry of `limits` in the configuration file.",
  type: "object",
  properties: {
    name: { type: "string", examples: ["writes"] },
    for: {
      type: "object",
      description: "What the limit is about. Every key that is there must fit.",
      properties: {
        endpoint: ONE_OR_SOME,
        organization: ONE_OR_SOME,
        client: ONE_OR_SOME,
        person: ONE_OR_SOME,
        agent: ONE_OR_SOME,
        app: ONE_OR_SOME,
        tool: ONE_OR_SOME,
        address: ONE_OR_SOME,
      },
      additionalProperties: false,
    },
    per: { ...ONE_OR_SOME, description: "What is counted apart." },
    rate: { type: "string", examples: ["100/m"] },
    burst: { type: "integer" },
    quota: { type: "string", examples: ["10000/day"] },
    bytes: { type: "string", examples: ["10MB/m"] },
    concurrent: { type: "integer" },
    exact: { type: "boolean" },
    unavailable: { enum: ["deny", "allow"] },
  },
  required: ["name"],
  additionalProperties: false,
} as const;

const LIMITS = {
  title: "LimitsSetting",
  type: "object",
  properties: {
    value: { type: "array", items: LIMIT },
    origin: ORIGIN,
    configured: {
      type: "array",
      items: LIMIT,
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
        limits: LIMITS,
      },
      required: [
        "enabled",
        "serverName",
        "streamPath",
        "sessionHeaderName",
        "sessionTimeout",
        "allowClientTermination",
        "oauthEnabled",
        "limits",
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
    limits: { type: ["array", "null"], items: LIMIT, description: "All limits, in the place of those of the file." },
  },
  additionalProperties: false,
} as const;

export type GatewaySettings = Shape<typeof GATEWAY_SETTINGS>;
export type LimitSetting = Shape<typeof LIMIT>;
export type GatewaySettingsChange = Shape<typeof GATEWAY_SETTINGS_CHANGE>;
