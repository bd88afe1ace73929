import type { JsonObject } from "../../kernel/json.ts";
import type { DocumentFlaw, LeftOutOperation, LeftOutReason } from "../catalog.ts";
import type { UnwrittenTool } from "../catalog-texts.ts";
import { bundleOf, sourceOf } from "./bundle-shape.ts";
import type { DocumentProblem } from "./document-error.ts";
import { nameOf } from "./document-uri.ts";
import type { Operation } from "./operations.ts";
import { bounded } from "./plain.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** Characters of what is wrong: names and references in a document have no limit. */
const DETAIL_LENGTH = 1_000;

/** An operation that is left out for what is wrong with it. */
export function invalidOperation(
  document: JsonObject,
  { method, path, pointer }: Operation,
  localName: string,
  problems: readonly DocumentProblem[],
): LeftOutOperation {
  const [first, ...others] = problems as readonly [DocumentProblem, ...DocumentProblem[]];
  const what = first.pointer === pointer ? first.message : problemText(document, first);
  const more = others.length === 0 ? "" : `; and ${others.length} more`;
  return {
    operation: `${method} ${path}`,
    ...(method !== "*" && { localName }),
    reason: "invalid operation",
    detail: `${bounded(what, DETAIL_LENGTH)}${more}`,
  };
}

/** `/paths/~1a/get/parameters/0/name: is required`, in other documents than the first `parts/a.yaml#/get: …`. */
export function problemText(document: JsonObject, { pointer, message }: DocumentProblem): string {
  return `${placeOf(document, pointer)}: ${message}`;
}

/** What is wrong with the schemas that the arguments of a tool need, told once for each tool. */
export function problemsOfInput(
  result: UnwrittenTool | LeftOutReason,
  schemas: SchemaExtractor,
): readonly DocumentProblem[] {
  return typeof result === "string" ? [] : schemas.problemsOf(result.details.inputSchema);
}

/** What is wrong with the definitions that the output schema of a tool needs. */
export function problemsOfOutput({ details }: UnwrittenTool, schemas: SchemaExtractor): readonly DocumentProblem[] {
  return schemas.problemsOf(details.outputSchema);
}

/** A tool works without an output schema; clients refuse one that is broken. */
export function withoutOutput(tool: UnwrittenTool): UnwrittenTool {
  const { outputSchema: _, ...details } = tool.details;
  return { ...tool, details };
}

function placeOf(document: JsonObject, pointer: string): string {
  const source = sourceOf(pointer);
  if (source.index === undefined) return source.pointer;
  return `${nameOf(bundleOf(document).uris?.[source.index] ?? "")}#${source.pointer}`;
}

/** How many flaws of one kind are told in full. */
const EXAMPLES = 3;
/** Characters of each: names and references in a document have no limit. */
const EXAMPLE_LENGTH = 600;

/** Collects what is wrong with a document although its operations are tools. */
interface FlawList {
  /** @param what for people; of several on one operation the first is told, and what several operations share with the first */
  readonly note: (lost: DocumentFlaw["lost"], operation: Operation, what: readonly string[]) => void;
  readonly flaws: readonly DocumentFlaw[];
}

export function createFlawList(): FlawList {
  const found = new Map<
    DocumentFlaw["lost"],
    { readonly count: number; readonly examples: ReadonlyMap<string, string> }
  >();
  return {
    note: (lost, { method, path }, [first]) => {
      if (first === undefined) return;
      const { count, examples } = found.get(lost) ?? { count: 0, examples: new Map<string, string>() };
      const isTold = examples.has(first) || examples.size === EXAMPLES;
      const example = bounded(`${method} ${path}: ${first}`, EXAMPLE_LENGTH);
      found.set(lost, { count: count + 1, examples: isTold ? examples : new Map([...examples, [first, example]]) });
    },
    get flaws() {
      return [...found].map(([lost, { count, examples }]) => ({ lost, count, examples: [...examples.values()] }));
    },
  };
}
