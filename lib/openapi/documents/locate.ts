import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { sourceOf } from "./bundle-shape.ts";
import type { DocumentProblem } from "./document-error.ts";

/** Beyond this many characters a document is not read a second time for the sake of its lines. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** The texts that a bundled document was made of. */
export interface DocumentTexts {
  readonly root: string;
  /** The root was brought into another form: pointers below `/paths` are cut where the text has nothing more. */
  readonly isConverted?: boolean;
  /** In the order of the bundle. */
  readonly others: readonly { readonly uri: string; readonly text: string }[];
}

/**
 * Adds to each problem which document it is in and where in the JSON or YAML text: the key of its value, else of what is
 * nearest around. They come back in the order of the texts, the root first.
 */
export function locateProblems(
  { root, others, isConverted = false }: DocumentTexts,
  problems: readonly DocumentProblem[],
): readonly DocumentProblem[] {
  const bySource = Map.groupBy(distinct(problems), ({ document, pointer }) =>
    document === undefined ? (sourceOf(pointer).index ?? ROOT) : placeAmong(others, document),
  );
  const sources = [...bySource].sort(([one], [other]) => one - other);
  return sources.flatMap(([index, found]) => {
    const other = others[index];
    const inside = found.map((problem) => ({
      ...problem,
      pointer: sourceOf(problem.pointer).pointer,
      ...(other !== undefined && { document: other.uri }),
    }));
    return index < others.length ? locateIn(other?.text ?? root, inside, isConverted && index === ROOT) : inside;
  });
}

const ROOT = -1;

/** After all others: a text that is neither JSON nor YAML. Its problems have their lines. */
function placeAmong(others: DocumentTexts["others"], document: string): number {
  const index = others.findIndex(({ uri }) => uri === document);
  return index < 0 ? others.length : index;
}

function distinct(problems: readonly DocumentProblem[]): readonly DocumentProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function locateIn(
  text: string,
  problems: readonly DocumentProblem[],
  isConverted: boolean,
): readonly DocumentProblem[] {
  if (text.length > MAX_CHARACTERS) return problems;
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  return problems
    .map((problem) => ({ problem, ...nearest(document, problem.pointer) }))
    .sort((a, b) => a.offset - b.offset)
    .map(({ problem, offset, found }) => {
      const { line, col } = lines.linePos(offset);
      const pointer = isConverted && problem.pointer.startsWith("/paths/") ? found : problem.pointer;
      return { ...problem, pointer, line: Math.max(line, 1), column: Math.max(col, 1) };
    });
}

/** How far a pointer leads in the text, and where that is. */
function nearest(document: Document, pointer: string): { readonly offset: number; readonly found: string } {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  let found = "";
  for (const segment of pointer.split("/").slice(1)) {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    const { key, value } = memberOf(isAlias(node) ? node.resolve(document) : node, name);
    if (key === undefined) break;
    offset = startOf(key) ?? offset;
    found += `/${segment}`;
    node = value;
  }
  return { offset, found };
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
