import { type Document, parseDocument, Scalar, visit } from "yaml";
import { type Path, setValueAt, valueAt } from "../../lib/config/path.ts";
import { editableDocument } from "../../lib/config/yaml/editable.ts";
import { unquotedPlaceholder } from "../../lib/config/yaml/placeholders.ts";
import type { AppPlace } from "./protocol.ts";

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

/** An app by its place and its name: what is listed may be older than the text. */
export function appAt(data: unknown, { index, name }: AppPlace): unknown {
  const app = valueAt(data, ["apps", index]);
  if (app !== undefined && (valueAt(app, ["name"]) ?? "") === name) return app;
  throw new EditRefused("The app is not in the text any more.");
}

export function editable(text: string): Document {
  const document = editableDocument(text);
  if (document.errors.length > 0) throw new EditRefused("The text is no YAML.");
  return document;
}

/** The order of keys says nothing. */
export function isSame(one: unknown, other: unknown): boolean {
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const [mine, theirs] = [Object.keys(one), Object.keys(other)];
  return (
    mine.length === theirs.length && mine.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function changedData(before: unknown, change: Change): unknown {
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
export function removed(data: unknown, { path, keep = 0 }: Change): Path {
  let target = path;
  while (target.length - 1 > keep) {
    const parent = valueAt(data, target.slice(0, -1));
    const size = isList(parent) ? parent.length : isObject(parent) ? Object.keys(parent).length : 0;
    if (size > 1) return target;
    target = target.slice(0, -1);
  }
  return target;
}
