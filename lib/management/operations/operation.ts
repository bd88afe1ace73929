import type { JsonObject } from "../../json.ts";
import type { ProblemCode } from "../../problem.ts";

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
