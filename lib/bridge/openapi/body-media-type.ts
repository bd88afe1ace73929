import { essence, isJson } from "../../http/media-type.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { OperationBody } from "../catalog.ts";
import { kindOf } from "../response/kind.ts";
import { below } from "./document-error.ts";
import { isFileSchema } from "./file-schema.ts";
import { resolve } from "./reference.ts";
import { holdsFile } from "./with-files.ts";

/** A media type that a body can have, and how it is written. */
export interface BodyMediaType {
  readonly kind: NonNullable<OperationBody["kind"]> | "json";
  /** As the document spells it. */
  readonly key: string;
  readonly definition: JsonObject;
  readonly pointer: string;
}

/** What a call can write best comes first. */
const ORDER = ["json", "form", "multipart", "text", "binary"];

/** The media types of a `content` object, best first; those that cannot be written are left out. */
export function bodyMediaTypes(document: JsonObject, content: JsonObject, pointer: string): readonly BodyMediaType[] {
  return Object.entries(content)
    .flatMap(([key, entry]) => {
      const { value, pointer: at } = resolve(document, entry, below(pointer, key));
      const definition = isJsonObject(value) ? value : {};
      const kind = bodyKind(document, essence(key), definition, at);
      return kind === undefined ? [] : [{ kind, key, definition, pointer: at }];
    })
    .map((type) => ({ type, rank: rank(document, type) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ type }) => type);
}

function bodyKind(
  document: JsonObject,
  name: string,
  { schema }: JsonObject,
  pointer: string,
): BodyMediaType["kind"] | undefined {
  const { value } = resolve(document, schema, below(pointer, "schema"));
  const shape = isJsonObject(value) ? value : {};
  if (isJson(name) || name === "text/json") return "json";
  if (name === "*/*" || name === "application/*") return isFileSchema(shape, []) ? "binary" : "json";
  if (name === "application/x-www-form-urlencoded") return "form";
  // OpenAPI 3.2 has parts without names, by their place in a list.
  if (name.startsWith("multipart/")) return shape.type === "array" ? undefined : "multipart";
  if (!/^[^/\s]+\/[^/\s]+$/.test(name)) return undefined;
  return ["text", "lines", "events"].includes(kindOf(name)) ? "text" : "binary";
}

/** JSON has no place for a file: where a multipart body is offered beside it, that one is meant for files. */
function rank(document: JsonObject, { kind, key, definition, pointer }: BodyMediaType): number {
  const name = essence(key);
  if (kind !== "json") return ORDER.indexOf(kind);
  if (holdsFile(document, definition.schema, below(pointer, "schema"))) return ORDER.indexOf("multipart") + 0.5;
  if (name === "application/json") return 0;
  return isJson(name) ? 0.2 : 0.4;
}
