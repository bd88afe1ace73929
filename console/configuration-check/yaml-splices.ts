import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  stringify,
  visit,
  type YAMLMap,
} from "yaml";
import { type Path, pathText, setValueAt, valueAt } from "../../lib/config/path.ts";
import { editableDocument, printed } from "../../lib/config/yaml/editable.ts";
import { unquotedPlaceholder } from "../../lib/config/yaml/placeholders.ts";
import { appended, indentationAt, lineEnd, lineStart, startsItsLine, withoutTrailingComments } from "./text-lines.ts";

/** What becomes of one place of a document. */
export interface Change {
  readonly path: Path;
  /** Undefined: nothing stands there any more. */
  readonly value: unknown;
  /** Steps of the path that stay, also when nothing is left in them. */
  readonly keep?: number;
}

/** A change that the text does not take, in words for the person. Nothing was changed. */
export class EditRefused extends Error {}

/**
 * The text with some places changed, and every other character as it was: comments, order, anchors and quotes stay. What comes out says
 * exactly what was asked for, or nothing is changed.
 *
 * @throws EditRefused
 */
export function withChanges(text: string, changes: readonly Change[]): string {
  const breaks = text.match(/\r?\n/g) ?? [];
  const isWindows = breaks.length > 0 && breaks.every((one) => one === "\r\n");
  const done = changes.reduce(withChange, isWindows ? text.replaceAll("\r\n", "\n") : text);
  return isWindows ? done.replaceAll("\n", "\r\n") : done;
}

function withChange(text: string, change: Change): string {
  const before = dataOf(text);
  const wanted = changedData(before, change);
  if (isSame(before, wanted)) return text;
  const spliced = splice(text, change);
  if (spliced !== undefined && says(spliced, wanted)) return spliced;
  const whole = reprinted(text, change);
  if (whole !== undefined && says(whole, wanted)) return whole;
  throw new EditRefused(
    `${pathText(change.path)} cannot be changed by a form: it is shared by an anchor, or written in an unusual way. Change it in the text.`,
  );
}

/** Plain data of a text that parses, with what merge keys bring; placeholders are texts. */
export function dataOf(text: string): unknown {
  const document = parseDocument(text, { merge: true, uniqueKeys: false, logLevel: "silent" });
  visit(document, {
    Map: (_, node) => {
      const placeholder = unquotedPlaceholder(node);
      return placeholder === undefined ? undefined : new Scalar(placeholder);
    },
  });
  try {
    if (document.errors.length === 0) return document.toJS() ?? undefined;
  } catch {
    // More aliases than anybody writes.
  }
  throw new EditRefused("The text is no YAML.");
}

function editable(text: string): Document {
  const document = editableDocument(text);
  if (document.errors.length > 0) throw new EditRefused("The text is no YAML.");
  return document;
}

function says(text: string, wanted: unknown): boolean {
  try {
    return isSame(dataOf(text), wanted);
  } catch (error) {
    if (error instanceof EditRefused) return false;
    throw error;
  }
}

/** The order of keys says nothing. */
function isSame(one: unknown, other: unknown): boolean {
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const [mine, theirs] = [Object.keys(one), Object.keys(other)];
  return (
    mine.length === theirs.length && mine.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function changedData(before: unknown, change: Change): unknown {
  const { path, value } = change;
  if (path.length === 0) return value;
  const data = structuredClone(JSON.parse(JSON.stringify(before ?? {})));
  if (value !== undefined) return setIn(data, path, value);
  const target = removed(before, change);
  const parent = valueAt(data, target.slice(0, -1));
  const step = target.at(-1);
  if (Array.isArray(parent)) parent.splice(Number(step), 1);
  else if (isObject(parent)) delete (parent as Record<string, unknown>)[String(step)];
  return data;
}

function setIn(data: unknown, path: Path, value: unknown): unknown {
  path.slice(0, -1).forEach((_, index) => {
    const place = path.slice(0, index + 1);
    if (!isObject(valueAt(data, place)) && !isList(valueAt(data, place)))
      setValueAt(data, place, typeof path[index + 1] === "number" ? [] : {});
  });
  setValueAt(data, path, value);
  return data;
}

/** What has to go so that no empty mapping or list is left around a place. */
function removed(data: unknown, { path, keep = 0 }: Change): Path {
  let target = path;
  while (target.length - 1 > keep) {
    const parent = valueAt(data, target.slice(0, -1));
    const size = isList(parent) ? parent.length : isObject(parent) ? Object.keys(parent).length : 0;
    if (size > 1) return target;
    target = target.slice(0, -1);
  }
  return target;
}

/** The last way: the tree is changed and printed, so that blank lines and indentation may change elsewhere. */
function reprinted(text: string, change: Change): string | undefined {
  const document = editable(text);
  try {
    if (change.value === undefined) document.deleteIn(removed(dataOf(text), change));
    else document.setIn(change.path, document.createNode(change.value));
    return printed(document);
  } catch {
    return undefined; // An alias is on the way.
  }
}

function splice(text: string, change: Change): string | undefined {
  const { path, value } = change;
  const document = editable(text);
  if (value === undefined) {
    const target = removed(dataOf(text), change);
    return valueAt(dataOf(text), target) === undefined ? text : withoutPlace(text, document, target);
  }
  const existing = valueAt(dataOf(text), path);
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
