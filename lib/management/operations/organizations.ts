import type { Operation } from "./operation.ts";

const PATH = "/api/v1/organizations/{organizationId}";

export const ORGANIZATION_OPERATIONS = [
  {
    operationId: "showInstance",
    method: "get",
    path: "/api/v1/instance",
    access: { role: "member" },
  },
  {
    operationId: "listOrganizations",
    method: "get",
    path: "/api/v1/organizations",
    access: { role: "person" },
  },
  {
    operationId: "createOrganization",
    method: "post",
    path: "/api/v1/organizations",
    access: { role: "owner", isDecidedByEndpoint: true },
  },
  {
    operationId: "showOrganization",
    method: "get",
    path: PATH,
    access: { role: "member" },
  },
  {
    operationId: "renameOrganization",
    method: "patch",
    path: PATH,
    access: { role: "owner", isDecidedByEndpoint: true },
  },
  {
    operationId: "deleteOrganization",
    method: "delete",
    path: PATH,
    access: { role: "owner", isDecidedByEndpoint: true },
  },
  {
    operationId: "showOverrides",
    method: "get",
    path: `${PATH}/overrides`,
    access: { role: "member" },
  },
  {
    operationId: "replaceOverrides",
    method: "put",
    path: `${PATH}/overrides`,
    access: { role: "owner", isDecidedByEndpoint: true },
  },
] as const satisfies readonly Operation[];
