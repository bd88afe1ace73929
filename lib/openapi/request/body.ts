import { concatenated, fromBase64url, hex, utf8 } from "../../kernel/encoding.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { OperationBody, OperationParameter, PropertyEncoding } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import { encodingOf, entriesOf, entryText, formPairs, isStyled, type Property, propertiesOf } from "./form.ts";
import { wellFormed } from "./percent-encoding.ts";
import { countNames, pairsOf, styleOf, textOf, type Written } from "./styles.ts";
import type { WrittenName } from "./written-names.ts";

export interface RequestBody {
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** Value of the `Content-Type` header. */
  readonly contentType: string;
  /** The names of a form or of parts; absent: the body has none. */
  readonly form?: readonly WrittenField[];
}

/** A field of a form or a part of a multipart body, with its value as text: of a file, its name. */
export interface WrittenField extends WrittenName {
  readonly value: string;
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
  if (kind === "form") {
    const pairs = formPairs(properties, encodings);
    const form = pairs.map((pair) => fieldOf(pair.property, pair, decodeURIComponent(pair.value)));
    return { content: pairs.map(({ text }) => text).join("&"), contentType, form };
  }
  if (kind !== "multipart") return undefined;
  const parts = properties.flatMap((property) => partsOf(property, encodingOf(encodings, property.name)));
  const { body, boundary } = multipart(parts);
  return { content: body, contentType: `${contentType}; boundary=${boundary}`, form: parts.map(({ field }) => field) };
}

/** The agent named the properties of a body that is one argument. */
function fieldOf({ argument, within, name: own }: Property, written: Written, value: string): WrittenField {
  const { name, packed, members = [] } = written;
  const chosen = within === undefined ? written.members : [own, ...members];
  const source = within ?? argument;
  return {
    ...{ argument, source, place: "body", own, name, value },
    ...(chosen && { members: chosen }),
    ...(packed && { packed }),
  };
}

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly contentType?: string | undefined;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly field: WrittenField;
}

/** A multipart body (RFC 7578) and the boundary of its parts, which nobody can guess and so put inside of a part. */
function multipart(parts: readonly Part[]): {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly boundary: string;
} {
  const boundary = `part-${hex(crypto.getRandomValues(new Uint8Array(16)))}`;
  const lines = parts.flatMap(({ content, ...head }) => [utf8(`--${boundary}\r\n${headerText(head)}`), content, CRLF]);
  return { body: concatenated([...lines, utf8(`--${boundary}--\r\n`)]), boundary };
}

const CRLF = utf8("\r\n");

function partsOf(property: Property, encoding: PropertyEncoding): readonly Part[] {
  const { argument, name, value } = property;
  const text = (written: Written): Part => {
    const content = wellFormed(argument, written.value);
    return { name: written.name, content: utf8(content), field: fieldOf(property, written, content) };
  };
  if (isStyled(encoding) && !encoding.file) {
    return pairsOf(styleOf({ ...encoding, name }, "query"), value, (part) => part).map(text);
  }
  const count = countNames(argument);
  return entriesOf(value).map((entry): Part => {
    count(name);
    if (encoding.file && isFile(entry)) return filePart(property, entry, encoding);
    const contentType = encoding.contentType ?? (typeof entry === "object" ? "application/json" : undefined);
    return {
      ...text({ name, value: entryText(entry, contentType) }),
      ...(contentType !== undefined && { contentType }),
    };
  });
}

/** Without a file name, servers take a part for a text; with an empty one, for a field that nobody put a file into. */
function filePart(property: Property, file: GivenFile, { contentType }: PropertyEncoding): Part {
  const { argument, name } = property;
  const filename = file.filename || "file";
  if (/\p{Cc}/u.test(filename)) throw new RequestError(`${argument}.filename`, "must not have control characters");
  return {
    name,
    filename: wellFormed(`${argument}.filename`, filename),
    contentType: mediaTypeOf(argument, file) ?? contentType ?? "application/octet-stream",
    content: bytesOf(argument, file),
    field: fieldOf(property, { name, value: filename }, filename),
  };
}

/** Texts have no type of their own: `text/plain` in UTF-8 is understood (RFC 7578 §4.4), and some servers take a typed part for a file. */
function headerText({ name, filename, contentType }: Omit<Part, "content" | "field">): string {
  const file = filename === undefined ? "" : `; filename="${escaped(filename)}"`;
  const type = contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`;
  return `Content-Disposition: form-data; name="${escaped(name)}"${file}\r\n${type}\r\n`;
}

/** HTML, multipart/form-data encoding algorithm; and backslashes, because many servers take one for an escape of the quote. */
function escaped(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22").replaceAll("\\", "%5C");
}

/** What an agent gives for a file: its bytes in base64, or its text. `documents/file-schema.ts` has the schema. */
interface GivenFile {
  readonly data?: string;
  readonly text?: string;
  readonly filename?: string;
  readonly contentType?: string;
}

const MEMBERS = new Set(["data", "text", "filename", "contentType"]);

function isFile(value: unknown): value is GivenFile {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !MEMBERS.has(name))) return false;
  return (typeof value.data === "string") !== (typeof value.text === "string");
}

/** The bytes of a file. Throws a `RequestError` when its base64 is none. */
function bytesOf(argument: string, { data, text }: GivenFile): Uint8Array<ArrayBuffer> {
  if (data === undefined) return utf8(wellFormed(argument, text ?? ""));
  const bytes = fromBase64(data);
  if (bytes === undefined) throw new RequestError(`${argument}.data`, "is not valid base64");
  return bytes;
}

/** RFC 9110 §8.3.1, without what could end the header. */
function mediaTypeOf(argument: string, { contentType }: GivenFile): string | undefined {
  if (contentType === undefined || MEDIA_TYPE.test(contentType)) return contentType;
  throw new RequestError(`${argument}.contentType`, 'is not a media type, for example "image/png"');
}

const MEDIA_TYPE =
  /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}( ?; ?[a-z0-9-]{1,50}=[a-z0-9!#$&^_.+-]{1,100})?$/i;

/** Either alphabet of RFC 4648, padded or not, in lines or not. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const unpadded = text.replaceAll(/\s+/g, "").replace(/={1,2}$/, "");
  return fromBase64url(unpadded.replaceAll("+", "-").replaceAll("/", "_"));
}
