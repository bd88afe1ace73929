import { listOf, NAME, ROLE, type Shape, TIME } from "./common.ts";

/** An organization, and what the caller is there. */
export const ORGANIZATION = {
  title: "Organization",
  type: "object",
  properties: {
    organizationId: { type: "string", description: "`org_<uuid>`." },
    name: { type: "string" },
    role: ROLE,
    createdAt: TIME,
  },
  required: ["organizationId", "name", "role", "createdAt"],
  additionalProperties: false,
} as const;

export const ORGANIZATION_LIST = listOf("OrganizationList", ORGANIZATION);

/** Of a new organization, and of one that gets another name. */
export const ORGANIZATION_FIELDS = {
  title: "OrganizationFields",
  type: "object",
  properties: { name: NAME },
  required: ["name"],
  additionalProperties: false,
} as const;

export type Organization = Shape<typeof ORGANIZATION>;
export type OrganizationList = Shape<typeof ORGANIZATION_LIST>;
export type OrganizationFields = Shape<typeof ORGANIZATION_FIELDS>;
