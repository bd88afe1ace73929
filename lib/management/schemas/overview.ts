import { AUDIT_EVENT } from "./audit-events.ts";
import { type Shape, TIME } from "./common.ts";

const COUNT = { type: "integer", minimum: 0 } as const;
const STATUS = {
  enum: ["up", "degraded", "down"],
  description: "`degraded`: an app of the configuration is not served, and everything else is.",
} as const;
const COMPONENT_STATUS = { enum: ["down", "not_served"] } as const;

/** What happened in the last hour, by intervals. */
export const LAST_HOUR = {
  title: "LastHour",
  type: "object",
  properties: {
    from: TIME,
    interval: { type: "integer", description: "Seconds." },
    isComplete: { type: "boolean", description: "False: there was more than is counted, and the oldest is not in it." },
    toolCalls: {
      type: "array",
      items: {
        type: "object",
        properties: { start: TIME, succeeded: COUNT, failed: COUNT },
        required: ["start", "succeeded", "failed"],
        additionalProperties: false,
      },
    },
    tokenRequests: {
      type: "array",
      items: {
        type: "object",
        properties: { start: TIME, issued: COUNT, refused: COUNT },
        required: ["start", "issued", "refused"],
        additionalProperties: false,
      },
    },
  },
  required: ["from", "interval", "isComplete", "toolCalls", "tokenRequests"],
  additionalProperties: false,
} as const;

/** What an organization has done already on its way to the first tool call. */
export const STEPS = {
  title: "Steps",
  type: "object",
  description: "Absent: the instance has no such step, for example no passkeys, API clients or gateway.",
  properties: {
    passkey: { type: "boolean" },
    app: { type: "boolean", description: "An app of the gateway is the organization's." },
    apiClient: { type: "boolean" },
    keyPair: { type: "boolean" },
    token: { type: "boolean" },
    toolCall: { type: "boolean" },
  },
  additionalProperties: false,
} as const;

export const OVERVIEW = {
  title: "Overview",
  type: "object",
  properties: {
    health: {
      type: "object",
      properties: {
        status: STATUS,
        components: {
          type: "array",
          items: {
            type: "object",
            properties: { name: { type: "string" }, status: COMPONENT_STATUS },
            required: ["name", "status"],
            additionalProperties: false,
          },
        },
      },
      required: ["status", "components"],
      additionalProperties: false,
    },
    sessions: {
      type: "object",
      properties: { count: COUNT, more: { type: "boolean", description: "There are more than `count`." } },
      required: ["count", "more"],
      additionalProperties: false,
    },
    lastHour: LAST_HOUR,
    latestRefusals: { type: "array", maxItems: 5, items: AUDIT_EVENT },
    steps: STEPS,
  },
  required: ["health", "sessions", "lastHour", "latestRefusals", "steps"],
  additionalProperties: false,
} as const;

export type LastHour = Shape<typeof LAST_HOUR>;
export type Steps = Shape<typeof STEPS>;
export type Overview = Shape<typeof OVERVIEW>;
