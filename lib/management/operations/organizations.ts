import { INSTANCE } from "../schemas/instance.ts";
import { ORGANIZATION, ORGANIZATION_FIELDS, ORGANIZATION_LIST } from "../schemas/organizations.ts";
import { IF_MATCH, type Operation, pathParameter } from "./operation.ts";

const PATH = "/api/v1/organizations/{organizationId}";
const ORGANIZATION_ID = pathParameter("organizationId");

export const ORGANIZATION_OPERATIONS = [
  {
    operationId: "showInstance",
    method: "get",
    path: "/api/v1/instance",
    summary: "The instance",
    answers: [{ status: 200, description: "Its addresses, and what API clients can be granted.", schema: INSTANCE }],
    access: { role: "member" },
  },
  {
    operationId: "listOrganizations",
    method: "get",
    path: "/api/v1/organizations",
    summary: "The person's organizations",
    answers: [{ status: 200, description: "The one joined first in front.", schema: ORGANIZATION_LIST }],
    access: { role: "person" },
  },
  {
    operationId: "createOrganization",
    method: "post",
    path: "/api/v1/organizations",
    summary: "Create an organization",
    description:
      "For owners of any organization; the person owns the new one. From the second one on, people must belong to the organization of an app that does not say `members: any`. `conflict`: the person is in 100 already.",
    body: { schema: ORGANIZATION_FIELDS },
    answers: [{ status: 201, description: "The organization.", schema: ORGANIZATION, headers: ["Location", "ETag"] }],
    problems: ["conflict"],
    access: { role: "owner", isDecidedByEndpoint: true },
  },
  {
    operationId: "showOrganization",
    method: "get",
    path: PATH,
    summary: "One organization of the person",
    parameters: [ORGANIZATION_ID],
    answers: [{ status: 200, description: "The organization.", schema: ORGANIZATION, headers: ["ETag"] }],
    access: { role: "member" },
  },
  {
    operationId: "renameOrganization",
    method: "patch",
    path: PATH,
    summary: "Rename an organization",
    parameters: [ORGANIZATION_ID, IF_MATCH],
    body: { schema: ORGANIZATION_FIELDS },
    answers: [{ status: 200, description: "The organization.", schema: ORGANIZATION, headers: ["ETag"] }],
    access: { role: "owner", isDecidedByEndpoint: true },
  },
] as const satisfies readonly Operation[];
