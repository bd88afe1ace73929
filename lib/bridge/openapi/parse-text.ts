import { type Document, LineCounter, parseDocument } from "yaml";
import { jsonExceeds } from "../../json.ts";
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
  if (trimmed.startsWith("<")) throw new DocumentError("", notData(trimmed));
  const value = trimmed.startsWith("{") ? (parseJson(trimmed) ?? parseYaml(text)) : parseYaml(text);
  if (jsonExceeds(value, { depth: MAX_DEPTH })) {
    throw new DocumentError("", `is nested deeper than ${MAX_DEPTH} levels`);
  }
  return value;
}

/** No JSON starts with this character, and no YAML that a document could be. */
function notData(text: string): string {
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
