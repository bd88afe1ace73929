import type { Operation } from "./operation.ts";

export const DOCUMENT_OPERATIONS = [
  {
    operationId: "showOpenApiDocument",
    method: "get",
    path: "/api/v1/openapi.json",
    summary: "This document",
    answers: [
      { status: 200, description: "OpenAPI 3.1.", schema: { type: "object" }, headers: ["ETag"] },
      { status: 304, description: "The caller has it, as `If-None-Match` says.", headers: ["ETag"] },
    ],
    access: { role: "public" },
  },
] as const satisfies readonly Operation[];
