import { ITEM, type SchemaPath } from "./schema-at.ts";

/** Where a position is in a YAML text, by its lines and their indentation. */
export interface YamlPlace {
  /** Of the mapping whose key is being written, or of the scalar whose value is. */
  readonly path: SchemaPath;
  readonly kind: "key" | "value";
  /** What is written of the key or the value, up to the position. */
  readonly typed: string;
  /** Keys that the mapping around has already, with their plain values. */
  readonly siblings: ReadonlyMap<string, string>;
  /** The same for every mapping on the way, by the length of the path that leads to it. */
  readonly around: ReadonlyMap<number, ReadonlyMap<string, string>>;
}

/** One line as it counts: dashes of lists, a key, what follows it. */
interface Line {
  /** Column of the key or value, after dashes. */
  readonly indent: number;
  /** Columns of the dashes in front. */
  readonly dashes: readonly number[];
  readonly key: string | undefined;
  readonly value: string;
}

/**
 * The place of a position. Texts are half written where completion is asked for, so that no parser is: indentation tells. Undefined in
 * comments and in block scalars; flow style (`{a: 1}`) has no place of its own.
 *
 * @param lines of the text
 * @param row index of the line; @param column within it
 */
export function placeAt(lines: readonly string[], row: number, column: number): YamlPlace | undefined {
  const head = (lines[row] ?? "").slice(0, column);
  if (column > LONGEST || /(^|\s)#/.test(head)) return undefined;
  const line = parseLine(head);
  const { steps, around, isText } = ancestors(lines, row, line);
  if (isText) return undefined;
  const siblings = siblingsAt(lines, row, line.indent, line.dashes.at(-1));
  const depths = new Map(around).set(steps.length, siblings);
  if (line.key === undefined) return { path: steps, kind: "key", typed: line.value, siblings, around: depths };
  return { path: [...steps, line.key], kind: "value", typed: line.value, siblings, around: depths };
}

/** Characters of a line that are looked at: keys stand in front. */
const LONGEST = 1_000;
const DASH = /^(\s*)-(\s+|$)/;
const KEY = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'[\]{},&*!|>%@`-][^#:]*|-[^\s#:][^#:]*)\s*:(?:\s+|$)/;

/** Nothing, or a comment. */
function isBlank(line: string): boolean {
  return /^\s*(#|$)/.test(line);
}

function parseLine(text: string): Line {
  const dashes: number[] = [];
  let rest = text.slice(0, LONGEST);
  let at = 0;
  for (let match = DASH.exec(rest); match !== null; match = DASH.exec(rest)) {
    dashes.push(at + (match[1] ?? "").length);
    at += match[0].length;
    rest = rest.slice(match[0].length);
  }
  const trimmed = rest.trimStart();
  const indent = at + rest.length - trimmed.length;
  const match = KEY.exec(trimmed);
  const key = match?.[1]?.replace(/^(["'])(.*)\1$/, "$2");
  return { indent, dashes, key, value: match === null ? trimmed : trimmed.slice(match[0].length) };
}

/** The way from the top to the mapping or list that a line is in. */
function ancestors(lines: readonly string[], row: number, line: Line) {
  /** From the line outwards. */
  const inward: { readonly step: SchemaPath[number]; readonly siblings: () => ReadonlyMap<string, string> }[] = [];
  let isText = false;
  const none = () => new Map<string, string>();
  /** What is around has to begin left of this. */
  let limit = line.indent;
  const enter = (dashes: readonly number[]) => {
    for (const dash of dashes.toReversed()) {
      inward.push({ step: ITEM, siblings: none });
      limit = dash;
    }
  };
  enter(line.dashes);
  let isListOpen = line.dashes.length > 0;
  for (let at = row - 1; at >= 0 && (limit > 0 || isListOpen); at--) {
    const written = lines[at] ?? "";
    if (isBlank(written)) continue;
    const other = parseLine(written);
    // A list may stand as far left as the key that it belongs to.
    const isParent = other.key !== undefined && (other.indent < limit || (isListOpen && other.indent === limit));
    if (isParent && other.key !== undefined) {
      const [key, indent] = [other.key, other.indent];
      if (/^[|>][+-]?\d?\s*(#.*)?$/.test(other.value)) isText = true;
      inward.push({ step: key, siblings: () => siblingsAt(lines, at, indent, other.dashes.at(-1)) });
      limit = indent;
      isListOpen = false;
      enter(other.dashes);
      isListOpen = other.dashes.length > 0;
    } else if (!isListOpen && other.indent >= limit && other.dashes.some((dash) => dash < limit)) {
      // An entry of a list whose first key stands beside its dash.
      enter(other.dashes.filter((dash) => dash < limit));
      isListOpen = true;
    }
  }
  const outward = inward.toReversed();
  const around = new Map<number, ReadonlyMap<string, string>>();
  for (const [depth, { siblings }] of outward.entries()) around.set(depth, siblings());
  return { steps: outward.map(({ step }) => step), around, isText };
}

/** The keys that stand in the same mapping as a line, with their values. */
function siblingsAt(
  lines: readonly string[],
  row: number,
  indent: number,
  dash: number | undefined,
): ReadonlyMap<string, string> {
  const siblings = new Map<string, string>();
  const take = (text: string): "on" | "last" | "end" => {
    if (isBlank(text)) return "on";
    const line = parseLine(text);
    if (line.indent < indent) return "end";
    // Entries of a list that stands as far left as its key.
    if (line.indent > indent) return line.dashes.some((one) => one < indent) ? "end" : "on";
    if (line.key !== undefined)
      siblings.set(line.key, line.value.replace(/\s+#.*$/, "").replace(/^(["'])(.*)\1$/, "$2"));
    return line.dashes.length > 0 ? "last" : "on";
  };
  // With a dash in front, the line is the first of its mapping.
  for (let at = row - 1; at >= 0 && dash === undefined; at--) {
    const found = take(lines[at] ?? "");
    if (found !== "on") break;
  }
  for (let at = row + 1; at < lines.length; at++) {
    const text = lines[at] ?? "";
    const { dashes } = parseLine(text);
    if (dashes.some((one) => one < indent)) break;
    if (take(text) === "end") break;
  }
  return siblings;
}
