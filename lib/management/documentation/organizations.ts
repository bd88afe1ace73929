import type { ORGANIZATION_OPERATIONS } from "../operations/organizations.ts";
import { INSTANCE } from "../schemas/instance.ts";
import { ORGANIZATION, ORGANIZATION_FIELDS, ORGANIZATION_LIST } from "../schemas/organizations.ts";
import { ORGANIZATION_OVERRIDES, OVERRIDES_CHANGE } from "../schemas/overrides.ts";
import type { Documentation } from "./documentation.ts";
import { IF_MATCH, pathParameter } from "./documentation.ts";

const ORGANIZATION_ID = pathParameter("organizationId");

export const ORGANIZATION_DOCUMENTATION = {
  showInstance: {
    summary: "The instance",
    answers: [{ status: 200, description: "Its addresses, and what API clients can be granted.", schema: INSTANCE }],
  },
  listOrganizations: {
    summary: "The person's organizations",
    answers: [{ status: 200, description: "The one joined first in front.", schema: ORGANIZATION_LIST }],
  },
  createOrganization: {
    summary: "Create an organization",
    description:
      "For owners of any organization; the person owns the new one. From the second one on, people must belong to the organization of an app that does not say `members: any`. `conflict`: the person is in 100 already.",
    body: { schema: ORGANIZATION_FIELDS },
    answers: [{ status: 201, description: "The organization.", schema: ORGANIZATION, headers: ["Location", "ETag"] }],
    problems: ["conflict"],
  },
  showOrganization: {
    summary: "One organization of the person",
    parameters: [ORGANIZATION_ID],
    answers: [{ status: 200, description: "The organization.", schema: ORGANIZATION, headers: ["ETag"] }],
  },
  renameOrganization: {
    summary: "Rename an organization",
    parameters: [ORGANIZATION_ID, IF_MATCH],
    body: { schema: ORGANIZATION_FIELDS },
    answers: [{ status: 200, description: "The organization.", schema: ORGANIZATION, headers: ["ETag"] }],
  },
  deleteOrganization: {
    summary: "Delete an organization",
    description:
      "With its members, invitations, API clients, connections and overrides, for good. Whoever belongs to no other organization loses their account here. Needs a sign-in of the last ten minutes, with the passkey where the owner has one. `conflict`: it is the first organization, which administers the instance, or there are as many stops as there may be.",
    parameters: [ORGANIZATION_ID],
    answers: [{ status: 204, description: "Nothing of it works any more. What is stored of it is being removed." }],
    problems: ["conflict", "recent_sign_in_required"],
  },
  showOverrides: {
    summary: "What the organization overrides",
    parameters: [ORGANIZATION_ID],
    answers: [
      {
        status: 200,
        description: "What is set, what may be, and what is not in use.",
        schema: ORGANIZATION_OVERRIDES,
        headers: ["ETag"],
      },
    ],
  },
  replaceOverrides: {
    summary: "Set what the organization overrides",
    description: "`conflict`: what all organizations have set together is too long, or they keep changing it.",
    parameters: [ORGANIZATION_ID, IF_MATCH],
    body: { schema: OVERRIDES_CHANGE },
    answers: [{ status: 200, description: "What is set.", schema: ORGANIZATION_OVERRIDES, headers: ["ETag"] }],
    problems: ["conflict", "too_many_requests"],
  },
} as const satisfies Documentation<typeof ORGANIZATION_OPERATIONS>;
