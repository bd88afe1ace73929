import { AUDIT_EVENT } from "./audit-events.ts";
import { type Shape, TIME } from "./common.ts";

const COUNT = { type: "integer", minimum: 0 } as const;
const STATUS = {
  enum: ["up", "degraded", "down"],
  description: "`degraded`: an app of the configuration is not served, and everything else is.",
} as const;
const COMPONENT_STATUS = { enum: ["down", "not_served"] } as const;

/** How much of the past an overview tells of. */
export const OVERVIEW_RANGE = { enum: ["1h", "24h", "7d", "30d"] } as const;

const CALLED = { type: "string", description: "The name that agents see." } as const;
const APP = { type: "string" } as const;

const TOKEN_REQUESTS = {
  type: "array",
  items: {
    type: "object",
    properties: { start: TIME, issued: COUNT, refused: COUNT },
    required: ["start", "issued", "refused"],
    additionalProperties: false,
  },
} as const;

/** What happened in a time, by intervals. */
export const PERIOD = {
  title: "Period",
  type: "object",
  description: "Finished tool calls and token requests. Calls that are open are in no number.",
  properties: {
    range: OVERVIEW_RANGE,
    from: TIME,
    to: { ...TIME, description: "The end of the last interval, which is not over yet." },
    interval: { type: "integer", description: "Seconds. Days and their quarters are those of UTC." },
    isComplete: { type: "boolean", description: "False: numbers tell of the time from `countedFrom` on alone." },
    countedFrom: TIME,
    toolCalls: {
      type: "array",
      description: "Intervals of which nothing is known are not in it.",
      items: {
        type: "object",
        properties: {
          start: TIME,
          succeeded: COUNT,
          denied: {
            ...COUNT,
            description: "Not made: the gateway refused them, or somebody has to do something first.",
          },
          failed: {
            ...COUNT,
            description: "Made, and the tool or what is behind it failed, or nobody waited for the end.",
          },
        },
        required: ["start", "succeeded", "denied", "failed"],
        additionalProperties: false,
      },
    },
    tokenRequests: TOKEN_REQUESTS,
    slowestTools: {
      type: "array",
      description: "By how long calls took on average, the waiting for the upstream included.",
      maxItems: 5,
      items: {
        type: "object",
        properties: {
          tool: CALLED,
          app: APP,
          calls: COUNT,
          averageMs: { ...COUNT, description: "Milliseconds." },
          longestMs: { ...COUNT, description: "Milliseconds." },
        },
        required: ["tool", "calls", "averageMs", "longestMs"],
        additionalProperties: false,
      },
    },
    mostRefusedTools: {
      type: "array",
      maxItems: 5,
      items: {
        type: "object",
        properties: {
          tool: CALLED,
          app: APP,
          denied: COUNT,
          reasons: {
            type: "array",
            description: "The most frequent ones.",
            maxItems: 3,
            items: {
              type: "object",
              properties: { reason: { type: "string" }, count: COUNT },
              required: ["reason", "count"],
              additionalProperties: false,
            },
          },
        },
        required: ["tool", "denied", "reasons"],
        additionalProperties: false,
      },
    },
    limits: {
      type: "array",
      description: "Limits that denied tool calls, the most frequent first.",
      maxItems: 10,
      items: {
        type: "object",
        properties: {
          limit: { type: "string", description: "Its name; absent: of several, which were counted together." },
          count: COUNT,
        },
        required: ["count"],
        additionalProperties: false,
      },
    },
    upstreams: {
      type: "array",
      description:
        "Apps by whether their upstream answered tool calls, those that failed most first. Calls that were denied or cancelled are in no number.",
      maxItems: 10,
      items: {
        type: "object",
        properties: {
          app: APP,
          answered: COUNT,
          failed: COUNT,
          intervals: {
            type: "array",
            items: {
              type: "object",
              properties: { start: TIME, answered: COUNT, failed: COUNT },
              required: ["start", "answered", "failed"],
              additionalProperties: false,
            },
          },
        },
        required: ["app", "answered", "failed", "intervals"],
        additionalProperties: false,
      },
    },
  },
  required: [
    ...(["range", "from", "to", "interval", "isComplete", "toolCalls", "tokenRequests"] as const),
    ...(["slowestTools", "mostRefusedTools", "limits", "upstreams"] as const),
  ],
  additionalProperties: false,
} as const;

/** What happened in the last hour, by intervals. */
export const LAST_HOUR = {
  title: "LastHour",
  type: "object",
  description: "In overviews of one hour alone. `period` tells the same, with denied calls apart from failed ones.",
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
    tokenRequests: TOKEN_REQUESTS,
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
    period: PERIOD,
    lastHour: LAST_HOUR,
    latestRefusals: { type: "array", maxItems: 5, items: AUDIT_EVENT },
    steps: STEPS,
  },
  required: ["health", "sessions", "period", "latestRefusals", "steps"],
  additionalProperties: false,
} as const;

export type OverviewRange = Shape<typeof OVERVIEW_RANGE>;
export type Period = Shape<typeof PERIOD>;
export type LastHour = Shape<typeof LAST_HOUR>;
export type Steps = Shape<typeof STEPS>;
export type Overview = Shape<typeof OVERVIEW>;
