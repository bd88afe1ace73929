import type { JsonObject } from "../../kernel/json.ts";
import type { ProblemCode } from "../../kernel/problem.ts";

/** One method of one path of the management API: what the OpenAPI document says of it, and who may call it. */
export interface Operation {
  readonly operationId: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** An OpenAPI path template; its parameters are listed like all others. */
  readonly path: `/api/v1/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  /** JSON. */
  readonly body?: { readonly schema: JsonObject; readonly isOptional?: true };
  readonly answers: readonly Answer[];
  /** Besides those that `commonProblems` finds. */
  readonly problems?: readonly ProblemCode[];
  readonly access: Access;
}

/** Who may call. */
export interface Access {
  /** `person`: whoever is signed in, about themselves. `member` and `owner` of the organization that the request is about. */
  readonly role: "public" | "person" | "member" | "owner";
  /** Each member reaches the endpoint, which tells who may do it: not the caller's role in that organization alone decides. */
  readonly isDecidedByEndpoint?: true;
  /** The permission that admits an API client as well; absent: people only. */
  readonly scope?: string;
  /** It is about the instance: the organization has to be the first one. */
  readonly isForFirstOrganization?: true;
}

/** An OpenAPI Parameter Object. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  readonly description?: string;
  readonly schema: JsonObject;
}

export interface Answer {
  readonly status: 200 | 201 | 204 | 303 | 304;
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
