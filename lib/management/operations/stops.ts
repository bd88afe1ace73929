import type { Operation } from "./operation.ts";

const PATH = "/api/v1/stops";

export const STOP_OPERATIONS = [
  {
    operationId: "listStops",
    method: "get",
    path: PATH,
    access: { role: "member", scope: "stops:read" },
  },
  {
    operationId: "placeStop",
    method: "post",
    path: PATH,
    access: { role: "owner", scope: "stops:write" },
  },
  {
    operationId: "liftStop",
    method: "post",
    path: `${PATH}/{stopId}/resume`,
    access: { role: "owner", scope: "stops:write" },
  },
] as const satisfies readonly Operation[];
