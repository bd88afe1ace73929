import type { JsonObject } from "../../../json.ts";
import { listStyle, schemaOf } from "./parameter.ts";

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";

/** The Request Body Object for the `body` parameter or the `formData` parameters of an operation; undefined for none. */
export function requestBody(
  parameters: readonly JsonObject[],
  consumes: readonly string[] | undefined,
): JsonObject | undefined {
  const body = parameters.find((parameter) => parameter.in === "body");
  if (body !== undefined) {
    const types = consumes ?? [JSON_TYPE];
    return {
      ...(typeof body.description === "string" && { description: body.description }),
      required: body.required === true,
      content: Object.fromEntries(types.map((type) => [type, { schema: body.schema ?? {} }])),
    };
  }
  return parameters.length === 0 ? undefined : formBody(parameters, consumes ?? []);
}

function formBody(parameters: readonly JsonObject[], consumes: readonly string[]): JsonObject {
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name);
  const schema = {
    type: "object",
    properties: Object.fromEntries(parameters.map((parameter) => [String(parameter.name), fieldSchema(parameter)])),
    ...(required.length > 0 && { required }),
  };
  const lists = parameters.filter(({ type }) => type === "array");
  const encoding = Object.fromEntries(
    lists.map((parameter) => [String(parameter.name), listStyle(parameter, true) ?? {}]),
  );
  const media = { schema, ...(lists.length > 0 && { encoding }) };
  const hasFile = parameters.some(({ type }) => type === "file");
  return {
    required: required.length > 0,
    content: Object.fromEntries(formTypes(consumes, hasFile).map((type) => [type, media])),
  };
}

/** Files travel in `multipart/form-data` alone. */
function formTypes(consumes: readonly string[], hasFile: boolean): readonly string[] {
  if (hasFile) return [MULTIPART];
  const forms = [FORM, MULTIPART].filter((type) => consumes.some((name) => name.toLowerCase().startsWith(type)));
  return forms.length > 0 ? forms : [FORM];
}

function fieldSchema(parameter: JsonObject): JsonObject {
  const { description } = parameter;
  return { ...schemaOf(parameter), ...(typeof description === "string" && { description }) };
}
