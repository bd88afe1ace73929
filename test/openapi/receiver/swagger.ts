import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { resolved } from "./pointer.ts";

const NOT_SCHEMA = new Set("name in description required allowEmptyValue collectionFormat".split(" "));

/**
 * An operation of Swagger 2.0 as OpenAPI 3.0 has it, for the validator, which knows 3.0 and 3.1 only. This reads the
 * Swagger document by itself: it must not repeat a mistake of the conversion that tools are made with.
 */
export function operationOfSwagger(
  document: JsonObject,
  parameters: readonly JsonObject[],
  operation: JsonObject,
): JsonObject {
  const consumes = (Array.isArray(operation.consumes) ? operation.consumes : document.consumes) as string[] | undefined;
  const body = parameters.find((parameter) => parameter.in === "body");
  const fields = parameters.filter((parameter) => parameter.in === "formData");
  const others = parameters.filter((parameter) => parameter.in !== "body" && parameter.in !== "formData");
  const requestBody =
    body !== undefined ? ofBody(body, consumes) : fields.length > 0 ? ofFields(fields, consumes) : undefined;
  return { parameters: others.map((one) => ofParameter(document, one)), ...(requestBody && { requestBody }) };
}

function ofParameter(document: JsonObject, parameter: JsonObject): JsonObject {
  const { name, in: location, required } = resolved(document, parameter) as JsonObject;
  return { name, in: location, required: required === true, schema: schemaOf(parameter), ...styleOf(parameter) };
}

/** Swagger 2.0, Parameter Object, `collectionFormat`. */
function styleOf({ in: location, type, collectionFormat }: JsonObject): JsonObject {
  if (type !== "array") return {};
  if (location !== "query") return { style: "simple", explode: false };
  if (collectionFormat === "multi") return { style: "form", explode: true };
  const style = { ssv: "spaceDelimited", pipes: "pipeDelimited" }[String(collectionFormat)] ?? "form";
  return { style, explode: false };
}

function schemaOf(parameter: JsonObject): JsonObject {
  const { type, ...keywords } = Object.fromEntries(Object.entries(parameter).filter(([key]) => !NOT_SCHEMA.has(key)));
  return type === "file" ? { type: "string", format: "binary" } : { ...(type !== undefined && { type }), ...keywords };
}

function ofBody({ schema, required }: JsonObject, consumes: readonly string[] = []): JsonObject {
  const types = consumes.length > 0 ? consumes : ["application/json"];
  return { required: required === true, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

function ofFields(fields: readonly JsonObject[], consumes: readonly string[] = []): JsonObject {
  const hasFile = fields.some(({ type }) => type === "file");
  const types = consumes.filter((type) => /^(multipart\/form-data|application\/x-www-form-urlencoded)\b/.test(type));
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    required: fields.filter(({ required }) => required === true).map(({ name }) => name),
  };
  const sent = types.length > 0 ? types : [hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded"];
  return {
    required: schema.required.length > 0,
    content: Object.fromEntries(sent.map((type) => [type, { schema: isJsonObject(schema) ? schema : {} }])),
  };
}
