import { upgradeFromThreeToThreeOne } from "@scalar/openapi-upgrader/3.0-to-3.1";
import { type Document, LineCounter, parseDocument } from "yaml";
import { isJsonObject, type JsonObject, jsonExceeds } from "../../json.ts";
import { DocumentError, type DocumentProblem, type ProblemList } from "./document-error.ts";

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

/**
 * Reads JSON or YAML text as an OpenAPI 3.1 document; a 3.0 one is brought up to 3.1. What is missing at the top is
 * reported; throws a `DocumentError` or `SyntaxProblems` when nothing can be made of the text.
 */
export function readDocument(openapiText: string, { report }: ProblemList): JsonObject {
  const document = parse(openapiText);
  if (!isJsonObject(document)) throw new DocumentError("", "an OpenAPI document is an object");
  checkVersion(document);
  if (jsonExceeds(document, { depth: MAX_DEPTH }))
    throw new DocumentError("", `is nested deeper than ${MAX_DEPTH} levels`);
  const isWhole = isJsonObject(document.info) && document.openapi !== undefined;
  if (!isJsonObject(document.info)) report("/info", "is required and must be an object");
  if (document.openapi === undefined) report("/openapi", 'is required, for example "3.1.0"');
  return isWhole ? (upgradeFromThreeToThreeOne({ ...document }) as JsonObject) : document;
}

function parse(openapiText: string): unknown {
  const trimmed = openapiText.trimStart().replace(/^\uFEFF/, "");
  return trimmed.startsWith("{") ? (parseJson(trimmed) ?? parseYaml(openapiText)) : parseYaml(openapiText);
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

function checkVersion({ swagger, openapi }: JsonObject): void {
  if (swagger !== undefined) {
    throw new DocumentError(
      "/swagger",
      "Swagger 2.0 is not supported by this version; accepted are OpenAPI 3.0 and 3.1",
    );
  }
  if (openapi === undefined) return;
  if (typeof openapi !== "string") throw new DocumentError("/openapi", 'must be text, for example "3.1.0"');
  if (!/^3\.[01]\.\d+/.test(openapi)) {
    throw new DocumentError(
      "/openapi",
      `version ${JSON.stringify(openapi)} is not supported; accepted are 3.0 and 3.1`,
    );
  }
}
