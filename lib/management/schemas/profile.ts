import { EMAIL, ROLE, type Shape } from "./common.ts";

const PERSON = {
  userId: { type: "string", description: "`user_<uuid>`." },
  email: EMAIL,
  organizations: {
    type: "array",
    description: "Those the person belongs to, the one joined first in front.",
    items: {
      title: "Membership",
      type: "object",
      properties: { organizationId: { type: "string" }, name: { type: "string" }, role: ROLE },
      required: ["organizationId", "name", "role"],
      additionalProperties: false,
    },
  },
} as const;

/** A person who has just signed in. */
export const PROFILE = {
  title: "Profile",
  type: "object",
  properties: PERSON,
  required: ["userId", "organizations"],
  additionalProperties: false,
} as const;

/** The person who asks, and the organization that the request is about. */
export const ME = {
  title: "Me",
  type: "object",
  properties: {
    ...PERSON,
    organizationId: {
      type: "string",
      description: "The organization that requests are about without the header, or the one that it named.",
    },
    role: ROLE,
    sessionId: {
      type: "string",
      description: "The session of this request, as the list of browser sessions names it.",
    },
  },
  required: ["userId", "organizations", "organizationId", "role", "sessionId"],
  additionalProperties: false,
} as const;

export type Profile = Shape<typeof PROFILE>;
export type Me = Shape<typeof ME>;
