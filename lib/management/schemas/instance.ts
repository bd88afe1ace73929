import type { Shape } from "./common.ts";

/** What members need to know of the instance. */
export const INSTANCE = {
  title: "Instance",
  type: "object",
  properties: {
    version: { type: "string" },
    region: { type: "string" },
    issuer: {
      type: "string",
      description: "Absent where the instance is no authorization server, as `tokenEndpoint`.",
    },
    tokenEndpoint: { type: "string" },
    managementAudience: { type: "string", description: "The audience of tokens for this API." },
    mcpURLs: { type: "array", items: { type: "string" }, description: "Where agents connect." },
    trialURL: {
      type: "string",
      description:
        "Where pages of the Console try tools. Absent: `console.playground` is off, or the gateway takes no tokens of this instance over Streamable HTTP.",
    },
    traceURL: {
      type: "string",
      description: "Of the trace of a call, with `{traceId}` for `details.traceId` of its record (`console.traceURL`).",
    },
    scopes: {
      type: "array",
      description: "What an API client can be granted.",
      items: {
        type: "object",
        properties: {
          scope: { type: "string" },
          kind: { enum: ["management", "tool"] },
          description: { type: "string" },
        },
        required: ["scope", "kind"],
        additionalProperties: false,
      },
    },
    resources: {
      type: "array",
      description: "Audiences that API clients ask for.",
      items: {
        type: "object",
        properties: { url: { type: "string" }, name: { type: "string" } },
        required: ["url", "name"],
        additionalProperties: false,
      },
    },
    regions: {
      type: "array",
      description: "Consoles of the other regions.",
      items: {
        type: "object",
        properties: { region: { type: "string" }, url: { type: "string" } },
        required: ["region", "url"],
        additionalProperties: false,
      },
    },
    documentationURL: {
      type: "string",
      description: "A copy of the documentation, `console.documentationURL`. Absent: there is none.",
    },
    isFirstOrganization: {
      type: "boolean",
      description: "The organization has the gateway settings and the records of the instance.",
    },
  },
  required: ["version", "managementAudience", "mcpURLs", "scopes", "resources", "regions", "isFirstOrganization"],
  additionalProperties: false,
} as const;

export type Instance = Shape<typeof INSTANCE>;
