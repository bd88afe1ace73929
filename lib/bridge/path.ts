import type { OperationParameter } from "./catalog.ts";
import { joined, type ParameterValue, parameterValue, percentEncoder } from "./parameter-values.ts";
import { RequestError } from "./request-error.ts";

/**
 * Fills a path template. A value stays inside its segment: everything that means something in a path is encoded, and
 * values that a server could read as a way up (`..`, also behind `/`, `\` or their encodings) are refused (checklist 28).
 */
export function fillPath(
  template: string,
  parameters: readonly OperationParameter[],
  argumentsByName: Readonly<Record<string, unknown>>,
): string {
  const path = parameters.reduce((text, { argument, name, explode }) => {
    const value = parameterValue(argument, argumentsByName[argument]);
    for (const part of parts(value)) refuseTraversal(argument, part);
    const filled = joined(value, explode, percentEncoder(argument));
    if (filled === "") throw new RequestError(argument, "must not be empty: it is part of the path");
    return text.replaceAll(`{${name}}`, () => filled);
  }, template);
  refuseDotSegments(path);
  return path;
}

function parts(value: ParameterValue): readonly string[] {
  if (value.kind === "one") return [value.value];
  return value.kind === "list" ? value.values : value.members.flat();
}

function refuseTraversal(argument: string, value: string): void {
  if (decoded(value).split(/[/\\]/).some(isDots)) {
    throw new RequestError(argument, 'must not contain the path segments "." or ".."');
  }
  if ([...value].some((character) => (character.codePointAt(0) ?? 0) < 0x20)) {
    throw new RequestError(argument, "must not contain control characters");
  }
}

/** Two values side by side (`/{a}{b}`) can make a dot segment that neither is. */
function refuseDotSegments(path: string): void {
  if (path.split("/").some((segment) => isDots(decoded(segment)))) {
    throw new RequestError("path", 'must not contain the segments "." or ".."');
  }
}

function isDots(segment: string): boolean {
  return segment === "." || segment === "..";
}

/** Percent-decodes the characters a traversal is made of, as often as they were encoded. */
function decoded(value: string): string {
  let text = value;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replaceAll(/%25/g, "%").replaceAll(/%2e/gi, ".").replaceAll(/%2f/gi, "/").replaceAll(/%5c/gi, "\\");
  }
  return text;
}
