import type { Shape } from "./common.ts";

/** RFC 9457 §3, with the refused fields. */
export const PROBLEM = {
  title: "Problem",
  description: "Why a request was not carried out (RFC 9457).",
  type: "object",
  properties: {
    type: { type: "string", description: "`urn:countersign:problem:<code>`; the code is stable." },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "For people: what is wrong, and what helps." },
    instance: {
      type: "string",
      description: "`urn:countersign:request:<id>`; log and audit records have the same id.",
    },
    errors: {
      type: "array",
      description: "With `invalid_field`: each field that was refused.",
      items: {
        type: "object",
        properties: {
          pointer: { type: "string", description: "A JSON Pointer into the body, or `/` and a query parameter." },
          detail: { type: "string" },
        },
        required: ["pointer", "detail"],
        additionalProperties: false,
      },
    },
  },
  required: ["type", "title", "status", "detail", "instance"],
  additionalProperties: false,
} as const;

export type Problem = Shape<typeof PROBLEM>;
