import { listOf, type Shape, TIME } from "./common.ts";

/** A person's account at a connector. */
export const IDENTITY = {
  title: "Identity",
  type: "object",
  properties: {
    connector: { type: "string", description: "Name of the connector." },
    label: { type: "string", description: "What the connector called the account when it was linked." },
    subject: { type: "string", description: "`sub` of the account's ID tokens." },
    createdAt: TIME,
  },
  required: ["connector", "subject", "createdAt"],
  additionalProperties: false,
} as const;

export const IDENTITY_LIST = listOf("IdentityList", IDENTITY);

export type Identity = Shape<typeof IDENTITY>;
export type IdentityList = Shape<typeof IDENTITY_LIST>;
