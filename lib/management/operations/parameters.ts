import type { Parameter } from "./operation.ts";

const TEXT = { type: "string", minLength: 1, maxLength: 512 };

/** What the path names. */
export function pathParameter(name: string, description?: string): Parameter {
  return {
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...(description !== undefined && { description }),
  };
}

/** A text to find records by. */
export function textQueryParameter(name: string, description: string): Parameter {
  return { name, in: "query", schema: TEXT, description };
}

export const CLIENT_ID = pathParameter("clientId");

/** Of pages (`pageQuery`). */
export const PAGE: readonly Parameter[] = [
  { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 200, default: 50 } },
  textQueryParameter(
    "cursor",
    "`nextCursor` of the page before, unchanged; any other text is refused. Absent: the first page.",
  ),
];

/** RFC 9110 §13.1.1. */
export const IF_MATCH: Parameter = {
  name: "If-Match",
  in: "header",
  schema: { type: "string" },
  description: "The `ETag` of an earlier answer: the change happens only if nobody made another one meanwhile.",
};

export const ORGANIZATION: Parameter = {
  name: "Countersign-Organization",
  in: "header",
  schema: { type: "string" },
  description: "The organization that the request is about; absent: the one that the person joined first.",
};
