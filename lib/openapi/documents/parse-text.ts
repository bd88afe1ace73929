import { type Document, isNode, isScalar, LineCounter, parseDocument, visit, type YAMLMap } from "yaml";
import { jsonExceeds } from "../../kernel/json.ts";
import { DocumentError, type DocumentProblem } from "./document-error.ts";

/** Deeper documents are refused, so that no walk over one can exhaust the stack. */
const MAX_DEPTH = 200;

/**
 * Values that the aliases of a YAML text may stand for beyond those that are written. Whoever reads the document meets each of them,
 * and a kilobyte of aliases can stand for any number.
 */
const MAX_REPEATED = 500_000;
/** Each alias is looked for among all of them and all anchors. */
const MAX_ALIASES = 10_000;
const MAX_ANCHORS = 10_000;

/**
 * The values are those of JSON whatever a directive or a tag of the text says: YAML 1.1 copies what is behind a merge key (`<<`), so that
 * a kilobyte makes a megabyte, and has kinds of values that JSON lacks. The package compares each key of a mapping with all others of it;
 * `keyProblems` looks for those that stand twice in linear time.
 */
const OPTIONS = {
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
} as const;

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
  const document = parseDocument(yaml, { ...OPTIONS, lineCounter: lines });
  const at = (offset: number) => positionOf(lines, offset);
  if (document.errors.length > 0) throw new SyntaxProblems(syntaxProblems(document, at));
  const { aliases, keys } = lookedThrough(document);
  if (keys.length > 0) throw new SyntaxProblems(keys.map(({ offset, ...problem }) => ({ ...problem, ...at(offset) })));
  const value = withAliases(document);
  if (aliases > 0 && repeatedValues(value) > MAX_REPEATED) {
    const what = `has YAML aliases that stand for over ${shown(MAX_REPEATED)} values more than are written`;
    throw new DocumentError("", `${what}; ${INSTEAD}`);
  }
  return value;
}

/** Counts aliases, and finds what is wrong with keys. Throws a `DocumentError` where there are too many aliases or anchors. */
function lookedThrough(document: Document): { readonly aliases: number; readonly keys: readonly KeyProblem[] } {
  let [aliases, anchors] = [0, 0];
  const keys: KeyProblem[] = [];
  visit(document, {
    Alias: () => void aliases++,
    Value: (_, node) => void (node.anchor !== undefined && anchors++),
    Map: (_, map) => {
      if (map.anchor !== undefined) anchors++;
      for (const problem of keyProblems(map)) keys.push(problem);
    },
  });
  if (aliases > MAX_ALIASES) throw new DocumentError("", `has over ${shown(MAX_ALIASES)} YAML aliases; ${INSTEAD}`);
  if (anchors > MAX_ANCHORS) throw new DocumentError("", `has over ${shown(MAX_ANCHORS)} YAML anchors; ${INSTEAD}`);
  return { aliases, keys };
}

interface KeyProblem extends DocumentProblem {
  /** Where the key begins in the text. */
  readonly offset: number;
}

function keyProblems({ items }: YAMLMap): readonly KeyProblem[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    const value = isScalar(key) ? key.value : key;
    const message = isNode(value) ? OTHER_KEY : seen.has(value) ? SAME_KEY : undefined;
    seen.add(value);
    if (message === undefined) return [];
    return [{ pointer: "", message, offset: (isNode(key) ? key.range?.[0] : undefined) ?? 0 }];
  });
}

/** Of a key that is a list, a mapping or an alias: the package writes it as text, together with all anchors of the document. */
const OTHER_KEY = "has a key that is a list, a mapping or an alias; accepted: text";
const SAME_KEY = "is neither JSON nor YAML: the same key stands twice in a mapping";

const INSTEAD = "use $ref in their place";

function shown(count: number): string {
  return count.toLocaleString("en");
}

/** The package's own limit counts each alias by a walk over the whole document. */
function withAliases(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: -1 });
  } catch (cause) {
    throw new DocumentError("", `is not usable: ${cause instanceof Error ? firstLine(cause.message) : "aliases"}`);
  }
}

/**
 * How many values stand in further places because objects do, those inside of them included. Looks at each object once, and throws a
 * `DocumentError` where one is inside of itself.
 */
function repeatedValues(value: unknown): number {
  const sizes = new Map<object, number>();
  let written = 0;
  const sizeOf = (value: unknown): number => {
    if (typeof value !== "object" || value === null) {
      written++;
      return 1;
    }
    const known = sizes.get(value);
    if (known === OPEN) throw new DocumentError("", "is not usable: a YAML alias stands inside of what it stands for");
    if (known !== undefined) return known;
    sizes.set(value, OPEN);
    written++;
    const size = Object.values(value).reduce<number>((sum, member) => sum + sizeOf(member), 1);
    sizes.set(value, size);
    return size;
  };
  return sizeOf(value) - written;
}

/** Of an object that is being looked at. */
const OPEN = -1;

function syntaxProblems({ errors }: Document, at: (offset: number) => Position): readonly DocumentProblem[] {
  return errors.map(({ message, pos }) => {
    return { pointer: "", message: `is neither JSON nor YAML: ${firstLine(message)}`, ...at(pos[0]) };
  });
}

type Position = Required<Pick<DocumentProblem, "line" | "column">>;

function positionOf(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0]?.replace(/:$/, "") ?? message;
}
