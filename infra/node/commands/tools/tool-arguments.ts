import { valueAt } from "../../../../lib/config/path.ts";
import type { BridgeTool, OperationBody } from "../../../../lib/openapi/catalog.ts";
import { schemaText } from "./schema-text.ts";

/** One argument of a tool, and what becomes of it. */
export interface ToolArgument {
  readonly name: string;
  /** In a few words; the whole schema is in `inputSchema`. */
  readonly type: string;
  readonly required: boolean;
  /** `path`, `query`, `header`, `cookie`, `querystring` or `body`. */
  readonly in: string;
  /** Its name there; absent: it is the whole body. */
  readonly sentAs?: string;
  /** The style of a parameter, where it is not the default of its place (OpenAPI, Style Values). */
  readonly style?: string;
  /** It is a part of a body that holds a file. */
  readonly file?: true;
  readonly description?: string;
}

type Place = Pick<ToolArgument, "in" | "sentAs" | "style" | "file">;

/** The arguments in the order of the input schema. */
export function toolArguments({ inputSchema, request }: BridgeTool): readonly ToolArgument[] {
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const parameters = new Map(
    request.parameters.map(({ argument, name, in: place, style }) => [
      argument,
      { in: place, sentAs: name, ...(style !== undefined && { style }) },
    ]),
  );
  return Object.entries(Object(inputSchema.properties)).map(([name, schema]) => {
    const description = valueAt(schema, ["description"]);
    return {
      name,
      type: schemaText(schema, inputSchema.$defs),
      required: required.includes(name),
      ...(parameters.get(name) ?? placeInBody(name, request.body)),
      ...(typeof description === "string" && { description }),
    };
  });
}

function placeInBody(argument: string, body: OperationBody | undefined): Place {
  if (body?.argument === argument) return { in: "body", ...(body.kind === "binary" && { file: true }) };
  const name = body?.names !== undefined && Object.hasOwn(body.names, argument) ? body.names[argument] : argument;
  const encoding = valueAt(body?.encodings, [name ?? argument]);
  return { in: "body", sentAs: name ?? argument, ...(valueAt(encoding, ["file"]) === true && { file: true }) };
}
