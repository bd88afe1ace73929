import type { OperationParameter } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import { contentText } from "./form.ts";
import { asItem, percentEncoder, reservedInPath } from "./percent-encoding.ts";
import { expanded, packedIn, type StyledValue, styledValue, styleOf } from "./styles.ts";
import type { WrittenName } from "./written-names.ts";

/** Characters of one value. */
const VALUE_LIMIT = 2_048;
/** How often something behind us might decode a value; the path holds it encoded once more. */
const DECODINGS = 3;

/**
 * Fills a path template. A value stays inside its segment: everything that means something in a path is encoded, and
 * values that a server could read as a way up (`..`, also behind `/`, `\` or their encodings) are refused (checklist 28).
 */
export function fillPath(
  template: string,
  parameters: readonly OperationParameter[],
  given: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly names: readonly WrittenName[] } {
  // What is behind a `#` never leaves the client.
  const [sent = ""] = template.split("#", 1);
  const names: WrittenName[] = [];
  const path = parameters.reduce((text, parameter) => {
    const { filled, name } = segment(parameter, given[parameter.argument]);
    names.push(name);
    return text.replaceAll(`{${parameter.name}}`, () => filled);
  }, sent);
  // Two values side by side (`/{a}{b}`) can make a dot segment that neither is.
  refuseDotSegments("path", path, DECODINGS + 1);
  return { path, names };
}

function segment(
  parameter: OperationParameter,
  given: unknown,
): { readonly filled: string; readonly name: WrittenName } {
  const { argument, name: own, content, allowReserved } = parameter;
  const style = styleOf(parameter, "path");
  const value = styledValue(content === undefined ? given : contentText(content, argument, given));
  if (value === undefined) throw new RequestError(argument, "must not be empty: it is part of the path");
  checkParts(argument, parts(value));
  const encode = allowReserved ? reservedInPath(argument) : percentEncoder(argument);
  const filled = expanded(style, value, value.kind === "one" ? encode : asItem(encode));
  if (filled === "") throw new RequestError(argument, "must not be empty: it is part of the path");
  const packed = packedIn(style, value);
  const name = { argument, source: argument, place: "path", own, name: own, ...(packed && { packed }) } as const;
  return { filled, name };
}

function parts(value: StyledValue): readonly string[] {
  if (value.kind === "one") return [value.value];
  return value.kind === "list" ? value.values : value.members.flat();
}

function checkParts(argument: string, parts: readonly string[]): void {
  if (parts.reduce((length, part) => length + part.length, 0) > VALUE_LIMIT) {
    throw new RequestError(argument, `must not have more than ${VALUE_LIMIT} characters: it is part of the path`);
  }
  for (const part of parts) {
    refuseDotSegments(argument, part, DECODINGS);
    if ([...part].some((character) => (character.codePointAt(0) ?? 0) < 0x20)) {
      throw new RequestError(argument, "must not contain control characters");
    }
  }
}

/** Decoding never takes a dot segment away, so that the last form shows those of all. */
function refuseDotSegments(argument: string, text: string, decodings: number): void {
  let decoded = text;
  for (let n = 0; n < decodings; n++) decoded = percentDecoded(decoded);
  if (percentDecoded(decoded) !== decoded) {
    throw new RequestError(argument, `must not be percent-encoded more than ${DECODINGS} times over`);
  }
  if (decoded.split(/[/\\]/).some(isDots)) {
    throw new RequestError(argument, 'must not contain the path segments "." or ".."');
  }
}

/** Some servers drop what follows a semicolon (RFC 3986 §3.3) before they resolve dot segments. */
function isDots(segment: string): boolean {
  return /^\.\.?(;|$)/.test(segment);
}

/** Once, byte by byte: the characters a traversal is made of are one byte each. */
function percentDecoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));
}
