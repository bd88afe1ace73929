import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  stringify,
  visit,
  type YAMLMap,
} from "yaml";
import { type Path, valueAt } from "../../lib/config/path.ts";
import { type Change, editable, isList, isObject, isSame, removed } from "./yaml-data.ts";

/** The text with one place changed and every other character as it was; undefined where that cannot be done, and what comes out proves nothing. @param data what the text says */
export function splice(text: string, data: unknown, change: Change): string | undefined {
  const { path, value } = change;
  const document = editable(text);
  if (value === undefined) {
    const target = removed(data, change);
    return valueAt(data, target) === undefined ? text : withoutPlace(text, document, target);
  }
  const existing = valueAt(data, path);
  if (isList(existing) && isList(value) && existing.length > 0 && value.length > 0)
    return withList(text, path, existing, value);
  return withValue(text, document, path, value);
}

/** Entries that stay are left as they are written. */
function withList(
  text: string,
  path: Path,
  existing: readonly unknown[],
  wanted: readonly unknown[],
): string | undefined {
  const rest = [...wanted];
  let left = text;
  const gone = existing.flatMap((item, index) => {
    const found = rest.findIndex((one) => isSame(one, item));
    if (found >= 0) rest.splice(0, found + 1);
    return found >= 0 ? [] : [index];
  });
  if (gone.length === existing.length) return withValue(text, editable(text), path, wanted);
  for (const index of gone.toReversed()) {
    const next = withoutPlace(left, editable(left), [...path, index]);
    if (next === undefined) return undefined;
    left = next;
  }
  const kept = existing.filter((_, index) => !gone.includes(index));
  for (const [index, item] of wanted.entries()) {
    if (isSame(kept[index], item)) continue;
    const next = withValue(left, editable(left), [...path, index], item, true);
    if (next === undefined) return undefined;
    left = next;
    kept.splice(index, 0, item);
  }
  return left;
}

/** @param isInserted an entry of a list that others move down for */
function withValue(
  text: string,
  document: Document,
  path: Path,
  value: unknown,
  isInserted = false,
): string | undefined {
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return appended(text, block(nested(path, value)));
  }
  for (let length = path.length - (isInserted ? 1 : 0); length >= 0; length--) {
    const place = path.slice(0, length);
    const node = place.length === 0 ? contents : document.getIn(place, true);
    if (node === undefined) continue;
    const rest = path.slice(length);
    const flow = innermostFlow(document, place);
    if (flow !== undefined) return withFlow(text, path, value, flow, isInserted);
    if (rest.length === 0) return replaced(text, document, place, value);
    if (isMap(node) && node.items.length > 0 && typeof rest[0] === "string") {
      return withPair(text, node, rest[0], nested(rest.slice(1), value), length === 0);
    }
    if (isSeq(node) && node.items.length > 0 && typeof rest[0] === "number") {
      return withItem(text, node.items, rest[0], nested(rest.slice(1), value));
    }
    return length === 0 ? undefined : replaced(text, document, place, nested(rest, value));
  }
  return undefined;
}

function nested(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, step) => (typeof step === "number" ? [inner] : { [step]: inner }), value);
}

/** The place of the innermost collection in flow style that is on the way and not empty. */
function innermostFlow(document: Document, place: Path): Path | undefined {
  for (let length = place.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(place.slice(0, length), true);
    if (isCollection(node) && node.flow && node.items.length > 0) return place.slice(0, length);
  }
  return undefined;
}

/** A collection such as `[a, b]` is printed anew as a whole, still on its line if it fits. */
function withFlow(text: string, path: Path, value: unknown, flow: Path, isInserted: boolean): string | undefined {
  const document = editable(text);
  const node = flow.length === 0 ? document.contents : document.getIn(flow, true);
  if (!isCollection(node) || !node.range) return undefined;
  const [start, end] = node.range;
  const around = isInserted ? document.getIn(path.slice(0, -1), true) : undefined;
  if (isSeq(around)) around.items.splice(Number(path.at(-1)), 0, document.createNode(value));
  else if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(value, { flow: true }));
  const changed = flow.length === 0 ? document.contents : document.getIn(flow, true);
  if (!isCollection(changed)) return undefined;
  document.contents = changed;
  // Those around it stay where they are in the text.
  Object.assign(document, { commentBefore: null, comment: null });
  Object.assign(changed, { commentBefore: null, comment: null });
  const isPadded = /\s/.test(text[start + 1] ?? "");
  const lines = document
    .toString({ lineWidth: 0, flowCollectionPadding: isPadded, verifyAliasOrder: false })
    .trimEnd()
    .split("\n");
  const indent = " ".repeat(indentationAt(text, start) + 2);
  return (
    text.slice(0, start) + lines.map((line, index) => (index === 0 ? line : indent + line)).join("\n") + text.slice(end)
  );
}

/** Another value in the place of one that is there. */
function replaced(text: string, document: Document, place: Path, value: unknown): string | undefined {
  const parent = place.length === 1 ? document.contents : document.getIn(place.slice(0, -1), true);
  if (isSeq(parent)) {
    const index = Number(place.at(-1));
    const without = withoutItem(text, parent.items, index);
    if (without === undefined || parent.items.length === 1) return undefined;
    const list = editable(without).getIn(place.slice(0, -1), true);
    return isSeq(list) ? withItem(without, list.items, index, value) : undefined;
  }
  const pair = isMap(parent) ? pairOf(parent, String(place.at(-1))) : undefined;
  if (pair === undefined || !isScalar(pair.key) || !pair.key.range) return undefined;
  const { key, value: node } = pair;
  const colon = text.indexOf(":", key.range?.[1] ?? 0) + 1;
  const isNothing = isScalar(node) && node.value === null && node.source === "";
  const [start, end] = (isScalar(node) || isCollection(node)) && node.range && !isNothing ? node.range : [colon, colon];
  const isOneLine = !text.slice(colon, end).includes("\n");
  const isText = !isObject(value) && !isList(value);
  const words = isText ? stringify(value, { lineWidth: 0 }).trimEnd() : "";
  if (isOneLine && isText && !words.includes("\n") && !(isCollection(node) && node.anchor))
    return `${text.slice(0, colon)} ${start > colon ? text.slice(colon, start).trimStart() : ""}${words}${text.slice(end)}`;
  const column = columnOf(text, key.range?.[0] ?? 0);
  if (isOneLine && !isText) {
    const opened = text.slice(0, colon) + text.slice(end);
    const at = lineEnd(opened, colon);
    return insertLines(opened, at, indented(block(value), column + 2));
  }
  const from = key.range?.[0] ?? 0;
  const [first = "", ...others] = block({ [String(key.value)]: value })
    .trimEnd()
    .split("\n");
  const rows = [first, ...others.map((line) => (line === "" ? line : " ".repeat(column) + line))];
  const last = endOf(pair);
  return text.slice(0, from) + rows.join("\n") + (text[last - 1] === "\n" ? "\n" : "") + text.slice(last);
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** A key at the end of a mapping. */
function withPair(text: string, map: YAMLMap, key: string, value: unknown, isRoot: boolean): string | undefined {
  const [first] = map.items;
  const last = map.items.at(-1);
  if (!isScalar(first?.key) || !first.key.range || last === undefined) return undefined;
  const column = columnOf(text, first.key.range[0]);
  const end = withoutTrailingComments(text, endOf(last), column, isRoot);
  return insertLines(text, end, indented(block({ [key]: value }), column));
}

function withItem(text: string, items: readonly unknown[], index: number, value: unknown): string | undefined {
  const dash = dashOf(text, items[0]);
  if (dash === undefined) return undefined;
  const column = columnOf(text, dash);
  const lines = indented(block([value]), column);
  const before = items[index - 1];
  if (index === 0 || before === undefined) return insertLines(text, lineStart(text, dash), lines);
  const end = endOf(before);
  const isLast = index >= items.length;
  return insertLines(text, isLast ? withoutTrailingComments(text, end, column, false) : lineEnd(text, end), lines);
}

/** Where the dash of an entry is; undefined where it does not begin its line. */
function dashOf(text: string, item: unknown): number | undefined {
  const start = startOf(item);
  if (start === undefined) return undefined;
  for (let at = start; at >= 0; at--) {
    if (text[at] === "-" && startsItsLine(text, at)) return at;
  }
  return undefined;
}

function withoutPlace(text: string, document: Document, place: Path): string | undefined {
  const around = place.slice(0, -1);
  const flow = innermostFlow(document, around);
  if (flow !== undefined) return withFlow(text, place, undefined, flow, false);
  const parent = around.length === 0 ? document.contents : document.getIn(around, true);
  if (isSeq(parent)) return withoutItem(text, parent.items, Number(place.at(-1)));
  if (!isMap(parent)) return undefined;
  const pair = pairOf(parent, String(place.at(-1)));
  if (pair === undefined || !isScalar(pair.key) || !pair.key.range) return undefined;
  const [start] = pair.key.range;
  if (startsItsLine(text, start)) return text.slice(0, lineStart(text, start)) + text.slice(lineEnd(text, endOf(pair)));
  // It stands beside the dash of an entry: the next key takes its place.
  const next = parent.items[parent.items.indexOf(pair) + 1];
  if (!isScalar(next?.key) || !next.key.range) return undefined;
  const between = text.slice(endOf(pair), next.key.range[0]);
  return between.trim() === "" ? text.slice(0, start) + text.slice(next.key.range[0]) : undefined;
}

function withoutItem(text: string, items: readonly unknown[], index: number): string | undefined {
  const item = items[index];
  const dash = dashOf(text, item);
  if (dash === undefined) return undefined;
  return text.slice(0, lineStart(text, dash)) + text.slice(lineEnd(text, endOf(item)));
}

/** Where the last thing in a node ends, without the comment behind it. */
function endOf(node: unknown): number {
  let end = 0;
  const look = (one: { readonly range?: readonly number[] | null | undefined }) => {
    end = Math.max(end, one.range?.[1] ?? 0);
  };
  visit(node as Node, {
    Scalar: (_, one) => look(one),
    Alias: (_, one) => look(one),
    Collection: (_, one) => {
      if (one.flow) look(one);
    },
  });
  return end;
}

function startOf(node: unknown): number | undefined {
  const { range } = (node ?? {}) as { readonly range?: readonly number[] | null };
  return range?.[0];
}

function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

function block(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

function indented(lines: string, column: number): string {
  return lines.replaceAll(/^(?=[^\n])/gm, " ".repeat(column));
}

function insertLines(text: string, at: number, lines: string): string {
  const before = text.slice(0, at);
  return `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${lines}${text.slice(at)}`;
}

/** Where the line of a position begins. */
function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Where the line after that of a position begins; a position behind a line break is there already. */
function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** Whether nothing but spaces stands before a position in its line. */
function startsItsLine(text: string, at: number): boolean {
  return text.slice(lineStart(text, at), at).trim() === "";
}

/** How many spaces the line of a position begins with, dashes of lists taken as spaces. */
function indentationAt(text: string, at: number): number {
  return /^[\s-]*/.exec(text.slice(lineStart(text, at), at))?.[0].length ?? 0;
}

/**
 * Where something can be put after what ends at a position: behind its line, and behind comments below it that are as far right as `column`.
 * At column 0 a comment may be about what follows; @param isLast nothing does
 */
function withoutTrailingComments(text: string, at: number, column: number, isLast: boolean): number {
  let end = lineEnd(text, at);
  let next = end;
  while (next < text.length) {
    const found = text.indexOf("\n", next);
    const stop = found < 0 ? text.length : found + 1;
    const line = text.slice(next, stop);
    const comment = /^( *)#/.exec(line);
    if (comment !== null && (isLast || (column > 0 && (comment[1] ?? "").length >= column))) end = stop;
    else if (line.trim() !== "") break;
    next = stop;
  }
  return end;
}

/** At the end of a text that holds nothing but comments. */
function appended(text: string, lines: string): string {
  return text === "" || text.endsWith("\n") ? text + lines : `${text}\n${lines}`;
}
