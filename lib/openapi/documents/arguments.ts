import type { JsonSchema, OperationBody, OperationParameter } from "../catalog.ts";
import { argumentName } from "../names.ts";
import type { FlatObject } from "./flat-object.ts";
import type { SupportedParameter } from "./parameters.ts";
import type { SupportedBody } from "./request-body.ts";

/** The arguments of a tool and how they map to the request. */
export interface ArgumentLayout {
  /** Without its `$defs`. */
  readonly inputSchema: JsonSchema;
  readonly parameters: readonly OperationParameter[];
  readonly body: OperationBody | undefined;
}

/**
 * One flat object where the names allow it. A parameter whose name is taken gets its location as a suffix; a body with a
 * property whose name is taken becomes one argument.
 */
export async function layOutArguments(
  parameters: readonly SupportedParameter[],
  body: SupportedBody | undefined,
): Promise<ArgumentLayout> {
  const taken = new Map<string, JsonSchema | boolean>();
  const required: string[] = [];
  const laidOut: OperationParameter[] = [];
  const all = new Set(parameters.map(({ name }) => name));
  for (const { schema, ...parameter } of parameters) {
    const argument = freeArgument(await argumentName(parameter.name, all), parameter.in, taken);
    taken.set(argument, schema);
    if (parameter.in === "path" || parameter.required) required.push(argument);
    laidOut.push({ argument, ...parameter });
  }
  const laidOutBody = body && (await layOutBody(body, taken, required));
  const isBodyAlone = parameters.length === 0 && laidOutBody?.argument === undefined;
  const whole = () => objectSchema(taken, required);
  const inputSchema = isBodyAlone && body?.object ? schemaOfBody(body.object, whole) : whole();
  return { inputSchema, parameters: laidOut, body: laidOutBody };
}

/** Of a body that is all that a tool takes. */
const bodySchemas = new WeakMap<FlatObject, JsonSchema>();

function schemaOfBody(object: FlatObject, whole: () => JsonSchema): JsonSchema {
  const schema = bodySchemas.get(object) ?? whole();
  bodySchemas.set(object, schema);
  return schema;
}

async function layOutBody(
  { schema, object, isLeftOutElsewhere: _, ...body }: SupportedBody,
  taken: Map<string, JsonSchema | boolean>,
  required: string[],
): Promise<OperationBody> {
  const properties = await flatProperties(object, taken);
  if (properties === undefined) {
    const argument = freeArgument("body", "content", taken);
    taken.set(argument, schema);
    if (body.required) required.push(argument);
    return { ...body, argument };
  }
  for (const { argument, schema, isRequired } of properties) {
    taken.set(argument, schema);
    if (isRequired) required.push(argument);
  }
  const renamed = properties.filter(({ argument, name }) => argument !== name);
  const names = Object.fromEntries(renamed.map(({ argument, name }) => [argument, name]));
  return { ...body, ...(renamed.length > 0 && { names }) };
}

/** Properties of a body as arguments, undefined where names clash. */
async function flatProperties(object: FlatObject | undefined, taken: ReadonlyMap<string, unknown>) {
  if (object === undefined) return undefined;
  const known = named.get(object) ?? namedProperties(object);
  named.set(object, known);
  const { properties, isClash } = await known;
  return isClash || properties.some(({ argument }) => taken.has(argument)) ? undefined : properties;
}

/** The same object is the body of hundreds of operations. */
const named = new WeakMap<FlatObject, ReturnType<typeof namedProperties>>();

async function namedProperties(object: FlatObject) {
  const all = new Set(Object.keys(object.properties));
  const properties = await Promise.all(
    Object.entries(object.properties).map(async ([name, schema]) => ({
      name,
      argument: await argumentName(name, all),
      schema: schema as JsonSchema | boolean,
      isRequired: object.required.includes(name),
    })),
  );
  const names = new Set(properties.map(({ argument }) => argument));
  return { properties, isClash: names.size < properties.length };
}

function freeArgument(name: string, suffix: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(name)) return name;
  const base = `${name.slice(0, 48)}_${suffix}`;
  let free = base;
  for (let n = 2; taken.has(free); n++) free = `${base}_${n}`;
  return free;
}

function objectSchema(properties: ReadonlyMap<string, JsonSchema | boolean>, required: readonly string[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
