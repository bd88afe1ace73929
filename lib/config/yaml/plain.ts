import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from "yaml";
import type { Placeholder } from "../artifact.ts";
import type { ConfigurationMessage } from "../messages.ts";
import { type Path, pathText, stepText } from "../path.ts";
import { shownPath } from "../redaction.ts";
import { documentSchema } from "../schema/document.ts";
import { isSecretAt } from "../schema/secrecy.ts";
import { aliasResolver, collectMerged, isMergeKey } from "./aliases.ts";
import { isExempt, scalarContent, templateKind, unquotedPlaceholder } from "./placeholders.ts";

/** In a document of several files, also which of them. */
export type Position = readonly [line: number, column: number, part?: number];

/** A YAML document as plain data, with everything later steps need to point into the text. */
export interface YamlDocument {
  /** Mappings, lists, text, numbers and booleans; null at placeholders and errors, undefined where nothing stands. */
  readonly document: unknown;
  readonly placeholders: readonly Placeholder[];
  /** Of values, by path text. */
  readonly positions: Readonly<Record<string, Position>>;
  /** Of keys, by path text. */
  readonly keyPositions: Readonly<Record<string, Position>>;
  readonly errors: readonly ConfigurationMessage[];
  /** Names of the files of a folder that are this document; absent: it is one file. */
  readonly parts?: readonly string[];
}

const MAX_DEPTH = 64;
/** Nodes of the plain document: aliases can repeat a node, and aliases in it again (the "billion laughs"). */
export const MAX_NODES = 50_000;
const LONGEST_KEY = 128;
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
  const resolve = aliasResolver(document);
  let nodes = 0;

  function refuse(message: string, path: Path, [line, column]: Position): null {
    errors.push({ file, line, column, path: pathText(shownPath(path)), message });
    return null;
  }

  function place(node: { range?: readonly number[] | null } | null, fallback: Position): Position {
    return node?.range ? lineOf(node.range[0] as number) : fallback;
  }

  /** Counts nodes; false when there are too many, which is told once. */
  function spend(count: number, path: Path, here: Position): boolean {
    const isFirst = nodes <= MAX_NODES;
    nodes += count;
    if (nodes <= MAX_NODES) return true;
    if (isFirst) refuse(`too many values, aliases expanded; accepted: ${MAX_NODES}`, path, here);
    return false;
  }

  /** `name` is the path's text: making it anew for each node takes longer than reading the node. */
  function plain(node: unknown, path: Path, name: string, around: Position): unknown {
    const here = place(node as Scalar | null, around);
    positions[name] = here;
    if (!spend(1, path, here)) return undefined;
    if (path.length > MAX_DEPTH)
      return refuse(`nested too deeply; accepted: ${MAX_DEPTH} levels`, path.slice(0, 3), here);
    if (isAlias(node)) {
      const target = resolve(node);
      return target === undefined
        ? refuse("an alias that names no anchor", path, here)
        : plain(target, path, name, here);
    }
    if (node === null || node === undefined) return undefined;
    if (hasForeignTag(node)) return refuse(FOREIGN_TAG, path, here);
    if (isScalar(node)) return scalar(node, path, here);
    if (isSeq(node)) return node.items.map((item, index) => plain(item, [...path, index], stepText(name, index), here));
    if (isMap(node)) return mapping(node, path, name, here);
    return refuse("found a value of an unknown kind", path, here);
  }

  function scalar(node: Scalar, path: Path, here: Position): unknown {
    // The number 1.10 would lose its zero; the version is reported as it is written.
    if (path.length === 1 && path[0] === "version" && typeof node.value === "number") return node.source ?? node.value;
    if (node.value === null) return undefined;
    return typeof node.value === "string" ? text(node.value, path, here) : node.value;
  }

  function text(value: string, path: Path, [line, column]: Position): unknown {
    if (isExempt(path)) return value;
    const content = scalarContent(value, {
      template: templateKind(path),
      isSecret: value.includes("<") && isSecretAt(documentSchema, path),
    });
    if (content.kind === "plain") return value;
    if (content.kind === "error") return refuse(content.message, path, [line, column]);
    placeholders.push({ path, parts: content.parts, line, column });
    return null;
  }

  function mapping(node: YAMLMap, path: Path, name: string, here: Position): unknown {
    const unquoted = unquotedPlaceholder(node);
    if (unquoted !== undefined) return text(unquoted, path, here);
    const result: Record<string, unknown> = {};
    const merges: Pair[] = [];
    for (const pair of node.items) {
      if (isMergeKey(pair.key)) merges.push(pair);
      else entry(pair, path, name, here, result);
    }
    // The mapping's own keys win over those that are merged into it.
    const [merge, second] = merges;
    if (merge !== undefined) {
      for (const pair of merged(merge, path, here, result)) entry(pair, path, name, here, result);
    }
    if (second !== undefined) refuse("found the same key twice", [...path, "<<"], place(second.key as Scalar, here));
    return result;
  }

  /** What a merge key brings that a mapping has not: the first of several that bring the same. */
  function merged(merge: Pair, path: Path, around: Position, own: Readonly<Record<string, unknown>>): readonly Pair[] {
    const here = place(merge.key as Scalar, around);
    const pairs: Pair[] = [];
    const problem = collectMerged(merge.value, { resolve, spend: (count) => spend(count, path, here) }, pairs);
    if (problem !== undefined) refuse(problem, [...path, "<<"], here);
    const seen = new Set<string | undefined>();
    return pairs.filter((pair) => {
      const key = keyOf(pair);
      if (key !== undefined && (seen.has(key) || Object.hasOwn(own, key))) return false;
      seen.add(key);
      return true;
    });
  }

  function keyOf(pair: Pair): string | undefined {
    const key = isAlias(pair.key) ? resolve(pair.key) : pair.key;
    return isScalar(key) && typeof key.value === "string" ? key.value : undefined;
  }

  function entry(pair: Pair, path: Path, name: string, around: Position, result: Record<string, unknown>): void {
    const key = keyOf(pair);
    const at = place(pair.key as Scalar | null, around);
    if (key === undefined) {
      refuse("found a key that is not text; put it in quotes", path, at);
      return;
    }
    const keyPath = [...path, key.slice(0, LONGEST_KEY)];
    if (key === "__proto__") refuse("found a key that is not allowed", keyPath, at);
    else if (key.length > LONGEST_KEY) {
      refuse(`found a key of ${key.length} characters; accepted: at most ${LONGEST_KEY}`, path, at);
    } else if (Object.hasOwn(result, key)) refuse("found the same key twice", keyPath, at);
    else {
      const keyName = stepText(name, key);
      keyPositions[keyName] = at;
      result[key] = plain(pair.value, keyPath, keyName, at);
    }
  }

  const root = plain(document.contents, [], "", [1, 1]);
  return { document: root, placeholders, positions, keyPositions, errors };
}

function hasForeignTag(node: unknown): boolean {
  const { tag } = node as { readonly tag?: string };
  return tag !== undefined && !TAGS.has(tag);
}
