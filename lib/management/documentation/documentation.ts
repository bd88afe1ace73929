import type { JsonObject } from "../../kernel/json.ts";
import type { ProblemCode } from "../../kernel/problem.ts";
import type { Operation } from "../operations/operation.ts";

/** What the OpenAPI document says of an operation. Nothing that answers a request needs it. */
export interface OperationDocumentation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  /** JSON. */
  readonly body?: { readonly schema: JsonObject; readonly isOptional?: true };
  readonly answers: readonly Answer[];
  /** Besides those that `commonProblems` finds. */
  readonly problems?: readonly ProblemCode[];
}

/** Each of some operations, by its id. */
export type Documentation<Operations extends readonly Operation[]> = Readonly<
  Record<Operations[number]["operationId"], OperationDocumentation>
>;

/** An OpenAPI Parameter Object. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  readonly description?: string;
  readonly schema: JsonObject;
}

export interface Answer {
  readonly status: 200 | 201 | 202 | 204 | 303 | 304;
  readonly description: string;
  /** Of the JSON body; absent: there is none. */
  readonly schema?: JsonObject;
  /** Bodies of other media types, for whoever accepts them. */
  readonly alternatives?: Readonly<Record<string, JsonObject>>;
  readonly headers?: readonly AnswerHeader[];
}

export type AnswerHeader = "ETag" | "Location" | "Set-Cookie";

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
  {
    name: "cursor",
    in: "query",
    schema: { ...TEXT, maxLength: 2048 },
    description: "`nextCursor` of the page before, unchanged; any other text is refused. Absent: the first page.",
  },
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
