import type { DOCUMENT_OPERATIONS } from "../operations/document.ts";
import type { Documentation } from "./documentation.ts";

export const DOCUMENT_DOCUMENTATION = {
  showOpenApiDocument: {
    summary: "This document",
    answers: [
      { status: 200, description: "OpenAPI 3.1.", schema: { type: "object" }, headers: ["ETag"] },
      { status: 304, description: "The caller has it, as `If-None-Match` says.", headers: ["ETag"] },
    ],
  },
} as const satisfies Documentation<typeof DOCUMENT_OPERATIONS>;
