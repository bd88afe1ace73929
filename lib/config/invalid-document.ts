import type { DocumentProblem } from "../bridge/openapi/document-error.ts";
import { documentName, type Source } from "./document-source.ts";
import type { ConfigurationMessage } from "./messages.ts";
import type { Problem } from "./rules/rule.ts";

/** How many mistakes of one OpenAPI document are reported. */
const MAX_ERRORS = 20;

/**
 * What is wrong with an OpenAPI document, in the file where it is wrong; a text inside of the configuration `name` is wrong
 * where it stands there.
 */
export function invalidDocument(
  errors: readonly DocumentProblem[],
  { path, file }: Source,
  name: string,
): { readonly problems: readonly Problem[]; readonly elsewhere: readonly ConfigurationMessage[] } {
  const shown = errors.slice(0, MAX_ERRORS);
  const more = `the OpenAPI document has ${errors.length - shown.length} more mistakes`;
  const hasMore = errors.length > shown.length;
  const fileOf = ({ document }: DocumentProblem) => (document === undefined ? file : documentName(document, name));
  const located = shown.flatMap((error) => {
    const { pointer, message, line = 1, column = 1 } = error;
    const at = fileOf(error);
    const text = pointer === "" ? `the OpenAPI document ${message}` : message;
    return at === undefined ? [] : [{ file: at, line, column, path: pointer, message: text }];
  });
  const inline = shown.filter((error) => fileOf(error) === undefined);
  const problems = inline.map((error) => ({ path, message: inlineMessage(error) }));
  if (file === undefined) {
    return { problems: hasMore ? [...problems, { path, message: more }] : problems, elsewhere: located };
  }
  const last = { file, line: 1, column: 1, path: "", message: more };
  return { problems, elsewhere: hasMore ? [...located, last] : located };
}

function inlineMessage({ pointer, message, line }: DocumentProblem): string {
  const where = line === undefined ? "" : ` at its line ${line}`;
  return `the OpenAPI document is invalid${where}: ${pointer === "" ? "(root)" : pointer}: ${message}`;
}
