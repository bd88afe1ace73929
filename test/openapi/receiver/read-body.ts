import express, { type Express, type Request } from "express";
import multer from "multer";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import type { OperationDocument } from "./operation-document.ts";
import { type FormReading, readForm } from "./read-form.ts";

/** A body as the validator and the comparison see it. */
export interface ArrivedBody {
  /** JSON as it is, forms as objects with files in base64, anything else as text; undefined: there was none. */
  readonly value: unknown;
  /** Of a body that is neither JSON nor a form. */
  readonly bytes?: Buffer;
}

/** Express's own readers and multer; the body is in `request.body`, and as an `ArrivedBody` in `response.locals`. */
export function readBodies(app: Express, operation: OperationDocument): void {
  const limit = "10mb";
  app.use(express.json({ strict: false, limit, type: ({ headers }) => isJson(headers["content-type"] ?? "") }));
  app.use(express.text({ limit, type: "application/x-www-form-urlencoded" }));
  app.use(multer({ limits: { fieldSize: 10_000_000 } }).any());
  app.use(express.raw({ limit, type: () => true }));
  app.use((request, response, next) => {
    const body = bodyOf(request, operation);
    request.body = body.value;
    // The validator changes what it reads.
    response.locals.body = { ...body, value: structuredClone(body.value) };
    next();
  });
}

export function isJson(contentType: string): boolean {
  return /^[^;]*[/+]json\b/i.test(contentType);
}

function bodyOf(request: Request, operation: OperationDocument): ArrivedBody {
  const contentType = request.headers["content-type"] ?? "";
  const { body, files } = request as { readonly body: unknown; readonly files?: readonly MulterFile[] };
  const reading = formReading(operation, contentType);
  if (files !== undefined)
    return { value: { ...readForm(pairsOf(body as JsonObject), reading), ...filesByName(files) } };
  if (Buffer.isBuffer(body))
    return body.length === 0 ? { value: undefined } : { value: body.toString("utf8"), bytes: body };
  if (typeof body !== "string" || isJson(contentType)) return { value: body };
  return { value: readForm([...new URLSearchParams(body)], reading) };
}

function formReading(operation: OperationDocument, contentType: string): FormReading {
  const { encoding, schema } = mediaType(operation, contentType);
  const dereferenced = (value: unknown): JsonObject => {
    const { $ref } = (value ?? {}) as JsonObject;
    if (typeof $ref === "string") return dereferenced(operation.components[$ref.split("/").at(-1) as string]);
    return isJsonObject(value) ? value : {};
  };
  const properties = (dereferenced(schema).properties ?? {}) as JsonObject;
  return {
    encodings: isJsonObject(encoding) ? encoding : {},
    shapeOf: (property) => {
      const { type, items, properties: members } = dereferenced(properties[property]);
      return { isList: type === "array" || items !== undefined, members: Object.keys((members ?? {}) as JsonObject) };
    },
  };
}

/** The Media Type Object that the document has for a body. */
export function mediaType({ requestBody }: OperationDocument, contentType: string): JsonObject {
  const [essence = ""] = contentType.split(";");
  const content = (requestBody?.content ?? {}) as JsonObject;
  const found = Object.entries(content).find(
    ([type]) => type.split(";")[0]?.trim().toLowerCase() === essence.trim().toLowerCase(),
  );
  return isJsonObject(found?.[1]) ? found[1] : {};
}

interface MulterFile {
  readonly fieldname: string;
  readonly buffer: Buffer;
}

/** multer makes objects of names with brackets; their pairs again. */
function pairsOf(fields: JsonObject): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value !== "object" || value === null) return [[name, String(value)] as const];
    if (Array.isArray(value)) return value.map((entry) => [name, String(entry)] as const);
    return pairsOf(Object.fromEntries(Object.entries(value).map(([key, entry]) => [`${name}[${key}]`, entry])));
  });
}

function filesByName(files: readonly MulterFile[]): JsonObject {
  const groups = Map.groupBy(files, ({ fieldname }) => fieldname);
  return Object.fromEntries(
    [...groups].map(([name, all]) => {
      const contents = all.map(({ buffer }) => buffer.toString("base64"));
      return [name, contents.length === 1 ? contents[0] : contents];
    }),
  );
}
