import type { Operation } from "./operation.ts";

const PATH = "/api/v1/deployment";

const READS = { role: "member", scope: "deployments:publish", isForFirstOrganization: true } as const;
const WRITES = { role: "owner", scope: "deployments:publish", isForFirstOrganization: true } as const;

/** Configurations that are published while instances run (D235). */
export const DEPLOYMENT_OPERATIONS = [
  {
    operationId: "showDeployment",
    method: "get",
    path: PATH,
    access: READS,
  },
  {
    operationId: "listPublications",
    method: "get",
    path: `${PATH}/revisions`,
    access: READS,
  },
  {
    operationId: "publishConfiguration",
    method: "post",
    path: `${PATH}/revisions`,
    access: WRITES,
  },
  {
    operationId: "compareRevisions",
    method: "get",
    path: `${PATH}/revisions/{revision}/changes`,
    access: READS,
  },
] as const satisfies readonly Operation[];
