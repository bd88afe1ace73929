import type { OperationBody, OperationParameter } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import { bytesOf, isFile, mediaTypeOf } from "./files.ts";
import { formText, type Property, propertiesOf } from "./form.ts";
import { multipart } from "./multipart.ts";
import { wellFormed } from "./percent-encoding.ts";
import { textOf } from "./values.ts";

export interface RequestBody {
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** Value of the `Content-Type` header. */
  readonly contentType: string;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The body that the arguments make; undefined when it is optional and nothing of it is given. */
export function buildBody(
  body: OperationBody,
  parameters: readonly OperationParameter[],
  given: Arguments,
): RequestBody | undefined {
  const { argument, required, contentType } = body;
  if (argument !== undefined) {
    if (!Object.hasOwn(given, argument)) return undefined;
    return wholeBody(body, argument, given[argument]);
  }
  const properties = bodyProperties(body, parameters, given);
  if (!required && properties.length === 0) return undefined;
  return fromProperties(body, properties) ?? { content: json(properties), contentType };
}

/** The schema of the arguments is closed, so that what is no parameter is a property. */
function bodyProperties(
  { names = {} }: OperationBody,
  parameters: readonly OperationParameter[],
  given: Arguments,
): readonly Property[] {
  const taken = new Set(parameters.map(({ argument }) => argument));
  return Object.entries(given)
    .filter(([argument, value]) => !taken.has(argument) && value !== undefined)
    .map(([argument, value]) => {
      return { argument, name: Object.hasOwn(names, argument) ? (names[argument] as string) : argument, value };
    });
}

function json(properties: readonly Property[]): string {
  return JSON.stringify(Object.fromEntries(properties.map(({ name, value }) => [name, value])));
}

function wholeBody(body: OperationBody, argument: string, value: unknown): RequestBody {
  const { kind, contentType } = body;
  if (kind === "text") return { content: wellFormed(argument, textOf(value)), contentType };
  if (kind === "binary") {
    if (!isFile(value)) throw new RequestError(argument, "must have either data (base64) or text");
    return { content: bytesOf(argument, value), contentType: mediaTypeOf(argument, value) ?? contentType };
  }
  const made = kind && fromProperties(body, propertiesOf(argument, value));
  return made ?? { content: JSON.stringify(value), contentType };
}

function fromProperties(
  { kind, contentType, encodings = {} }: OperationBody,
  properties: readonly Property[],
): RequestBody | undefined {
  if (kind === "form") return { content: formText(properties, encodings), contentType };
  if (kind !== "multipart") return undefined;
  const { body, boundary } = multipart(properties, encodings);
  return { content: body, contentType: `${contentType}; boundary=${boundary}` };
}
