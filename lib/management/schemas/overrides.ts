import { type Shape, TIME } from "./common.ts";
import { LIMIT } from "./gateway-settings.ts";

const ORIGIN = {
  title: "OverrideOrigin",
  description: "`default`: the organization has set nothing, and what the operator configured holds alone.",
  enum: ["default", "organization"],
} as const;

const KIND = { title: "OverrideKind", enum: ["limits", "policies"] } as const;

const POLICY = {
  title: "OverridePolicy",
  description: "An expression that has to allow calls of an app's tools as well.",
  type: "object",
  properties: {
    app: { type: "string", description: "An app of the organization alone.", examples: ["ledger"] },
    cel: {
      type: "string",
      description: "As `authorization.inbound.cel`, of at most 500 characters and without loops.",
      examples: ['agent.clientID != "c"'],
    },
  },
  required: ["app", "cel"],
  additionalProperties: false,
} as const;

export const ORGANIZATION_OVERRIDES = {
  title: "OrganizationOverrides",
  type: "object",
  properties: {
    overridable: { type: "array", items: KIND, description: "What the operator lets organizations override." },
    overrides: {
      type: "object",
      properties: {
        limits: {
          title: "OverriddenLimits",
          type: "object",
          properties: { value: { type: "array", items: LIMIT }, origin: ORIGIN },
          required: ["value", "origin"],
          additionalProperties: false,
        },
        policies: {
          title: "OverriddenPolicies",
          type: "object",
          properties: { value: { type: "array", items: POLICY }, origin: ORIGIN },
          required: ["value", "origin"],
          additionalProperties: false,
        },
      },
      required: ["limits", "policies"],
      additionalProperties: false,
    },
    leftOut: {
      type: "array",
      items: {
        title: "OverrideLeftOut",
        type: "object",
        properties: {
          pointer: { type: "string", description: "A JSON Pointer into what is set.", examples: ["/limits/0"] },
          detail: { type: "string" },
        },
        required: ["pointer", "detail"],
        additionalProperties: false,
      },
      description: "What is set and not in use, as it does not fit the configuration.",
    },
    updatedAt: TIME,
    updatedBy: { type: "string", description: "`user_…`." },
    isApplied: { type: "boolean", description: "This instance works with what is shown already." },
  },
  required: ["overridable", "overrides", "leftOut", "isApplied"],
  additionalProperties: false,
} as const;

/** All that an organization sets. */
export const OVERRIDES_CHANGE = {
  title: "OverridesChange",
  description: "All that the organization sets: what is absent, `null` or empty is not set.",
  type: "object",
  properties: {
    limits: { type: ["array", "null"], items: LIMIT, description: "Limits of the organization's agents." },
    policies: { type: ["array", "null"], items: POLICY, description: "Policies of the organization's apps." },
  },
  additionalProperties: false,
} as const;

export type OrganizationOverrides = Shape<typeof ORGANIZATION_OVERRIDES>;
