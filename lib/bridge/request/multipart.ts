import { hex, utf8 } from "../../encoding.ts";
import type { PropertyEncoding } from "../catalog.ts";
import { countNames } from "./count-names.ts";
import { bytesOf, type GivenFile, isFile, mediaTypeOf } from "./files.ts";
import { type Encodings, encodingOf, entriesOf, entryText, isStyled, type Property } from "./form.ts";
import { wellFormed } from "./percent-encoding.ts";
import { pairsOf, styleOf } from "./styles.ts";

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly contentType?: string | undefined;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** A multipart body (RFC 7578) and the boundary of its parts, which nobody can guess and so put inside of a part. */
export function multipart(
  properties: readonly Property[],
  encodings: Encodings,
): { readonly body: Uint8Array<ArrayBuffer>; readonly boundary: string } {
  const boundary = `part-${hex(crypto.getRandomValues(new Uint8Array(16)))}`;
  const parts = properties.flatMap((property) => partsOf(property, encodingOf(encodings, property.name)));
  const lines = parts.flatMap(({ content, ...head }) => [utf8(`--${boundary}\r\n${headerText(head)}`), content, CRLF]);
  return { body: concatenated([...lines, utf8(`--${boundary}--\r\n`)]), boundary };
}

const CRLF = utf8("\r\n");

function partsOf({ argument, name, value }: Property, encoding: PropertyEncoding): readonly Part[] {
  const text = (content: string) => utf8(wellFormed(argument, content));
  if (isStyled(encoding) && !encoding.file) {
    const pairs = pairsOf(styleOf({ ...encoding, name }, "query"), value, (part) => part);
    return pairs.map(([name, content]) => ({ name, content: text(content) }));
  }
  const count = countNames(argument);
  return entriesOf(value).map((entry): Part => {
    count(name);
    if (encoding.file && isFile(entry)) return filePart(argument, name, entry, encoding);
    const contentType = encoding.contentType ?? (typeof entry === "object" ? "application/json" : undefined);
    return { name, contentType, content: text(entryText(entry, contentType)) };
  });
}

/** Without a file name, servers take a part for a text; with an empty one, for a field that nobody put a file into. */
function filePart(argument: string, name: string, file: GivenFile, { contentType }: PropertyEncoding): Part {
  return {
    name,
    filename: file.filename || "file",
    contentType: mediaTypeOf(argument, file) ?? contentType ?? "application/octet-stream",
    content: bytesOf(argument, file),
  };
}

/** Texts have no type of their own: `text/plain` in UTF-8 is understood (RFC 7578 §4.4), and some servers take a typed part for a file. */
function headerText({ name, filename, contentType }: Omit<Part, "content">): string {
  const file = filename === undefined ? "" : `; filename="${escaped(filename)}"`;
  const type = contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`;
  return `Content-Disposition: form-data; name="${escaped(name)}"${file}\r\n${type}\r\n`;
}

/** HTML, multipart/form-data encoding algorithm; and backslashes, because many servers take one for an escape of the quote. */
function escaped(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22").replaceAll("\\", "%5C");
}

function concatenated(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let written = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, written);
    written += chunk.length;
  }
  return bytes;
}
