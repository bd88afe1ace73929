import { type Document, LineCounter, parseDocument } from "yaml";
import { jsonExceeds } from "../../kernel/json.ts";
import { DocumentError, type DocumentProblem } from "./document-error.ts";

/** Deeper documents are refused, so that no walk over one can exhaust the stack. */
const MAX_DEPTH = 200;

/** The text is neither JSON nor YAML; `problems` have their lines. */
export class SyntaxProblems extends Error {
  readonly problems: readonly DocumentProblem[];
  constructor(problems: readonly DocumentProblem[]) {
    super(problems.map(({ message }) => message).join("\n"));
    this.name = "SyntaxProblems";
    this.problems = problems;
  }
}

/** JSON or YAML text as plain data. Throws a `DocumentError` or `SyntaxProblems` when nothing can be made of it. */
export function parseText(text: string): unknown {
  const trimmed = text.trimStart().replace(/^\uFEFF/, "");
  if (trimmed === "") throw new DocumentError("", "is empty");
  const other = notData(trimmed);
  if (other !== undefined) throw new DocumentError("", other);
  const value = trimmed.startsWith("{") ? (parseJson(trimmed) ?? parseYaml(text)) : parseYaml(text);
  if (jsonExceeds(value, { depth: MAX_DEPTH })) {
    throw new DocumentError("", `is nested deeper than ${MAX_DEPTH} levels`);
  }
  return value;
}

/**
 * What a text is of which nothing can be made, by its first characters: those with which neither JSON nor a YAML that a
 * document could be starts, and those that bytes become when they are read as UTF-8 and are something else.
 */
function notData(text: string): string | undefined {
  if (["\x1f\x8b", "\x1f\uFFFD"].some((start) => text.startsWith(start)))
    return "is gzip-compressed; accepted: JSON or YAML text";
  if (text.startsWith("PK\x03\x04")) return "is a zip archive; accepted: JSON or YAML text";
  if (/^(\uFFFD|.{0,3}\0)/s.test(text)) return "is not UTF-8; accepted: JSON or YAML text in UTF-8";
  if (text.startsWith("#%RAML")) return "is RAML; accepted: OpenAPI as JSON or YAML";
  if (!text.startsWith("<")) return undefined;
  const isPage = /^<(!doctype\s+html|html|head|body)\b/i.test(text);
  return isPage ? "is an HTML page, perhaps a login page; accepted: JSON or YAML" : "is XML; accepted: JSON or YAML";
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // A YAML flow mapping starts with the same character; the YAML reader also tells where the mistake is.
    return undefined;
  }
}

function parseYaml(yaml: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { prettyErrors: false, lineCounter: lines, logLevel: "silent" });
  if (document.errors.length > 0) throw new SyntaxProblems(syntaxProblems(document, lines));
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch (cause) {
    throw new DocumentError("", `is not usable: ${cause instanceof Error ? firstLine(cause.message) : "aliases"}`);
  }
}

function syntaxProblems({ errors }: Document, lines: LineCounter): readonly DocumentProblem[] {
  return errors.map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0]);
    const problem = { pointer: "", message: `is neither JSON nor YAML: ${firstLine(message)}` };
    return { ...problem, line: Math.max(line, 1), column: Math.max(col, 1) };
  });
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0]?.replace(/:$/, "") ?? message;
}
