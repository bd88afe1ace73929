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
  {
    operationId: "rollBackConfiguration",
    method: "post",
    path: `${PATH}/rollback`,
    access: WRITES,
  },
  {
    operationId: "showProposal",
    method: "get",
    path: `${PATH}/proposal`,
    access: READS,
  },
  {
    operationId: "approveProposal",
    method: "post",
    path: `${PATH}/proposal/approve`,
    // People alone: a second person looks at it.
    access: { role: "owner", isForFirstOrganization: true },
  },
  {
    operationId: "withdrawProposal",
    method: "delete",
    path: `${PATH}/proposal`,
    access: WRITES,
  },
  // Both may show what members are not shown: secrets that stand in a draft, and where all others are.
  {
    operationId: "showConfigurationDocument",
    method: "get",
    path: `${PATH}/document`,
    access: WRITES,
  },
  {
    operationId: "showDraft",
    method: "get",
    path: `${PATH}/draft`,
    access: WRITES,
  },
  {
    operationId: "saveDraft",
    method: "put",
    path: `${PATH}/draft`,
    access: WRITES,
  },
  {
    operationId: "dropDraft",
    method: "delete",
    path: `${PATH}/draft`,
    access: WRITES,
  },
  {
    operationId: "fetchDocument",
    method: "post",
    path: `${PATH}/documents`,
    access: WRITES,
  },
  {
    operationId: "probeMcpServer",
    method: "post",
    path: `${PATH}/mcp-servers`,
    access: WRITES,
  },
] as const satisfies readonly Operation[];
