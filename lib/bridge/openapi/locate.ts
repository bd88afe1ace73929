import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { DocumentProblem } from "./document-error.ts";

/** Beyond this many characters a document is not read a second time for the sake of its lines. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Adds to each problem where in the JSON or YAML text it is: the key of its value, else of what is nearest around. They
 * come back in the order of the text.
 */
export function locateProblems(text: string, problems: readonly DocumentProblem[]): readonly DocumentProblem[] {
  if (problems.length === 0 || text.length > MAX_CHARACTERS) return problems;
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  return problems
    .map((problem) => ({ problem, offset: offsetOf(document, problem.pointer) }))
    .sort((a, b) => a.offset - b.offset)
    .map(({ problem, offset }) => {
      const { line, col } = lines.linePos(offset);
      return { ...problem, line: Math.max(line, 1), column: Math.max(col, 1) };
    });
}

function offsetOf(document: Document, pointer: string): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const segment of pointer.split("/").slice(1)) {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    const { key, value } = memberOf(isAlias(node) ? node.resolve(document) : node, name);
    if (key === undefined) break;
    offset = startOf(key) ?? offset;
    node = value;
  }
  return offset;
}

function memberOf(node: unknown, name: string): { readonly key?: unknown; readonly value?: unknown } {
  if (isMap(node)) {
    return node.items.find(({ key }) => isScalar(key) && String(key.value) === name) ?? {};
  }
  const item = isSeq(node) && /^\d+$/.test(name) ? node.items[Number(name)] : undefined;
  return item === undefined ? {} : { key: item, value: item };
}

function startOf(node: unknown): number | undefined {
  return (node as { readonly range?: readonly number[] | null } | null)?.range?.[0];
}
