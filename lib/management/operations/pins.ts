import type { Operation } from "./operation.ts";

const PATH = "/api/v1/pins";

/** Tools that are held until an owner approves them (D228). */
export const PIN_OPERATIONS = [
  {
    operationId: "listPins",
    method: "get",
    path: PATH,
    access: { role: "member", scope: "tools:read" },
  },
  {
    operationId: "showHeldTool",
    method: "get",
    path: `${PATH}/{app}/held/{digest}`,
    access: { role: "member", scope: "tools:read" },
  },
  {
    operationId: "approveTool",
    method: "post",
    path: `${PATH}/{app}/approve`,
    access: { role: "owner" },
  },
  {
    operationId: "refuseTool",
    method: "post",
    path: `${PATH}/{app}/refuse`,
    access: { role: "owner" },
  },
  {
    operationId: "forgetPins",
    method: "post",
    path: `${PATH}/{app}/forget`,
    access: { role: "owner" },
  },
] as const satisfies readonly Operation[];
