import { listOf, type Shape, TIME } from "./common.ts";

const DIGEST = {
  type: "string",
  description: "SHA-256 of the canonical JSON (RFC 8785) of the definition, base64url.",
} as const;

const VERSION = {
  tool: { type: "string", description: "The server's own name of the tool, without the namespace." },
  digest: DIGEST,
  at: { ...TIME, description: "When it was first listed." },
  why: {
    enum: ["new", "changed"],
    description: "`changed`: other versions of the tool are approved.",
  },
  refused: {
    type: "object",
    properties: { at: TIME, by: { type: "string", description: "`user_…`, or the operator." } },
    required: ["at", "by"],
    additionalProperties: false,
    description: "An owner has refused it. It stays held, and may still be approved.",
  },
} as const;

export const APP_PINS = {
  title: "AppPins",
  type: "object",
  properties: {
    app: { type: "string" },
    first: {
      enum: ["trust", "hold"],
      description: "What becomes of the tools that are listed first, as the configuration says.",
    },
    firstAt: { ...TIME, description: "When tools were listed first. Absent: they were not yet." },
    tools: { type: "integer", description: "Tools of which some version is approved." },
    held: {
      type: "array",
      items: {
        type: "object",
        properties: VERSION,
        required: ["tool", "digest", "at", "why"],
        additionalProperties: false,
      },
      description: "Versions that agents neither see nor call; of each tool the newest four, the latest last.",
    },
  },
  required: ["app", "first", "tools", "held"],
  additionalProperties: false,
} as const;

export const PIN_LIST = listOf("PinList", APP_PINS);

const DEFINITION = {
  type: "string",
  description:
    "The definition as indented JSON, members in order; characters that nobody sees are escaped. Absent: it is too long to be kept.",
} as const;

export const HELD_TOOL = {
  title: "HeldTool",
  type: "object",
  properties: {
    app: { type: "string" },
    ...VERSION,
    definition: DEFINITION,
    approved: {
      type: "array",
      items: {
        type: "object",
        properties: {
          digest: DIGEST,
          at: { ...TIME, description: "When it was approved." },
          by: { type: "string", description: "`user_…`, or the operator. Absent: it was listed first." },
          definition: DEFINITION,
        },
        required: ["digest", "at"],
        additionalProperties: false,
      },
      description: "The tool's approved versions, the latest first.",
    },
  },
  required: ["app", "tool", "digest", "at", "why", "approved"],
  additionalProperties: false,
} as const;

export const PIN_VERDICT = {
  title: "PinVerdict",
  type: "object",
  properties: { digest: { ...DIGEST, description: "`digest` of the held version." } },
  required: ["digest"],
  additionalProperties: false,
} as const;

export const PIN_FORGETTING = {
  title: "PinForgetting",
  type: "object",
  properties: {
    tool: { type: "string", description: "Absent: all tools of the app, whose next list is the first then." },
  },
  additionalProperties: false,
} as const;

export type AppPins = Shape<typeof APP_PINS>;
export type PinList = Shape<typeof PIN_LIST>;
export type HeldTool = Shape<typeof HELD_TOOL>;
