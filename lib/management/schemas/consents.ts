import { type Shape, TIME } from "./common.ts";

/** What a person allowed a client. */
export const CONSENT = {
  title: "Consent",
  type: "object",
  properties: {
    user: { type: "string" },
    client: { type: "string" },
    scopes: { type: "array", items: { type: "string" } },
    resources: { type: "array", items: { type: "string" } },
    createdAt: TIME,
    updatedAt: TIME,
  },
  required: ["user", "client", "scopes", "resources", "createdAt", "updatedAt"],
  additionalProperties: false,
} as const;

export type Consent = Shape<typeof CONSENT>;
