import type { JsonObject } from "../../lib/kernel/json.ts";
import { managementDocument } from "../../lib/management/document.ts";
import type { Access } from "../../lib/management/operations/operation.ts";
import { ISSUER } from "../support/in-process.ts";
import { COOKIE } from "./instance.ts";

/** An operation as the OpenAPI document has it. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly "x-countersign-role"?: Access["role"];
  readonly "x-countersign-scope"?: string;
  readonly "x-countersign-organization"?: "first";
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface DocumentedResponse {
  readonly $ref?: string;
  readonly headers?: JsonObject;
  readonly content?: JsonObject;
}

export const DOCUMENT = managementDocument({ publicURL: ISSUER, cookieName: COOKIE });

type Paths = Readonly<Record<string, Readonly<Record<string, Omit<DocumentedOperation, "method" | "path">>>>>;

export const OPERATIONS: readonly DocumentedOperation[] = Object.entries(DOCUMENT.paths as Paths).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
);

/** The status of an operation's success that the document has first. */
export function successOf({ responses }: DocumentedOperation): number {
  return Math.min(...Object.keys(responses).map(Number));
}
