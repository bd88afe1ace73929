import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Placeholder } from "../artifact.ts";
import type { ConfigurationMessage } from "../messages.ts";
import { type Path, pathText } from "../path.ts";
import { scalarContent } from "./placeholder-text.ts";
import type { Position, YamlDocument } from "./read.ts";

const MAX_DEPTH = 64;
/** Nodes of the plain document: aliases can repeat a node, and aliases in it again (the "billion laughs"). */
const MAX_NODES = 50_000;
const TAGS = new Set(["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`));

const FOREIGN_TAG = "found a tag; tags are not supported";

export function isAboutTag({ message }: ConfigurationMessage): boolean {
  return message === FOREIGN_TAG;
}

/** Turns the parsed nodes into plain data and collects placeholders and positions on the way. */
export function plainDocument(document: Document, file: string, lineOf: (offset: number) => Position): YamlDocument {
  const placeholders: Placeholder[] = [];
  const errors: ConfigurationMessage[] = [];
  const positions: Record<string, Position> = Object.create(null);
  const keyPositions: Record<string, Position> = Object.create(null);
  let nodes = 0;

  function refuse(message: string, path: Path, [line, column]: Position): null {
    errors.push({ file, line, column, path: pathText(path), message });
    return null;
  }

  function place(node: { range?: readonly number[] | null } | null, fallback: Position): Position {
    return node?.range ? lineOf(node.range[0] as number) : fallback;
  }

  function plain(node: unknown, path: Path, around: Position): unknown {
    const here = place(node as Scalar | null, around);
    positions[pathText(path)] = here;
    if (++nodes > MAX_NODES) {
      if (nodes === MAX_NODES + 1) refuse(`too many values, aliases expanded; accepted: ${MAX_NODES}`, path, here);
      return undefined;
    }
    if (path.length > MAX_DEPTH)
      return refuse(`nested too deeply; accepted: ${MAX_DEPTH} levels`, path.slice(0, 3), here);
    if (isAlias(node)) {
      const target = node.resolve(document);
      return target === undefined ? refuse("an alias that names no anchor", path, here) : plain(target, path, here);
    }
    if (node === null || node === undefined) return undefined;
    if (hasForeignTag(node)) return refuse(FOREIGN_TAG, path, here);
    if (isScalar(node)) return scalar(node, path, here);
    if (isSeq(node)) return sequence(node, path, here);
    if (isMap(node)) return mapping(node, path, here);
    return refuse("found a value of an unknown kind", path, here);
  }

  function scalar(node: Scalar, path: Path, here: Position): unknown {
    // The number 1.10 would lose its zero; the version is reported as it is written.
    if (pathText(path) === "version" && typeof node.value === "number") return node.source ?? node.value;
    if (node.value === null) return undefined;
    return typeof node.value === "string" ? text(node.value, path, here) : node.value;
  }

  function text(value: string, path: Path, [line, column]: Position): unknown {
    if (isExempt(path)) return value;
    const content = scalarContent(value);
    if (content.kind === "plain") return value;
    if (content.kind === "error") return refuse(content.message, path, [line, column]);
    placeholders.push({ path, parts: content.parts, line, column });
    return null;
  }

  function sequence(node: YAMLSeq, path: Path, here: Position): unknown[] {
    return node.items.map((item, index) => plain(item, [...path, index], here));
  }

  function mapping(node: YAMLMap, path: Path, here: Position): unknown {
    const unquoted = unquotedPlaceholder(node);
    if (unquoted !== undefined) return text(unquoted, path, here);
    const result: Record<string, unknown> = {};
    for (const pair of node.items) entry(pair, path, here, result);
    return result;
  }

  function entry(pair: Pair, path: Path, around: Position, result: Record<string, unknown>): void {
    const key = isAlias(pair.key) ? pair.key.resolve(document) : pair.key;
    const at = place(pair.key as Scalar | null, around);
    if (!isScalar(key) || typeof key.value !== "string") {
      refuse("found a key that is not text; put it in quotes", path, at);
      return;
    }
    const keyPath = [...path, key.value.slice(0, 128)];
    if (key.value === "__proto__") refuse("found a key that is not allowed", keyPath, at);
    else if (Object.hasOwn(result, key.value)) refuse("found the same key twice", keyPath, at);
    else {
      keyPositions[pathText(keyPath)] = at;
      result[key.value] = plain(pair.value, keyPath, at);
    }
  }

  const root = plain(document.contents, [], [1, 1]);
  return { document: root, placeholders, positions, keyPositions, errors };
}

/** An inline OpenAPI document is a text of its own language: braces and angle brackets in it mean nothing to us. */
function isExempt(path: Path): boolean {
  const [top, , openapi, spec, data] = path;
  return path.length === 5 && top === "apps" && openapi === "openapi" && spec === "spec" && data === "data";
}

/** `{{ env.NAME }}` without quotes is a mapping inside a mapping to YAML; files in the wild are written like that. */
function unquotedPlaceholder(node: YAMLMap): string | undefined {
  const inner = onlyKey(node);
  if (!node.flow || !isMap(inner) || !inner.flow) return undefined;
  const name = onlyKey(inner);
  return isScalar(name) && typeof name.value === "string" ? `{{ ${name.value} }}` : undefined;
}

function onlyKey(node: YAMLMap): unknown {
  const [pair, second] = node.items;
  if (pair === undefined || second !== undefined) return undefined;
  return pair.value === null || (isScalar(pair.value) && pair.value.value === null) ? pair.key : undefined;
}

function hasForeignTag(node: unknown): boolean {
  const { tag } = node as { readonly tag?: string };
  return tag !== undefined && !TAGS.has(tag);
}
