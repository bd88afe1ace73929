import type { Operation } from "./operation.ts";

export const DOCUMENT_OPERATIONS = [
  {
    operationId: "showOpenApiDocument",
    method: "get",
    path: "/api/v1/openapi.json",
    access: { role: "public" },
  },
] as const satisfies readonly Operation[];
