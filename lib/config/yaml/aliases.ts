import { type Alias, type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, visit } from "yaml";

const LONGEST_CHAIN = 64;
const ACCEPTED = "accepted: a mapping, an alias of one, or a list of them";

export interface MergeSources {
  readonly resolve: ResolveAlias;
  /** Counts nodes that are looked at; false when there were too many, which is told elsewhere. */
  readonly spend: (nodes: number) => boolean;
}

/** `<<`, which is no key: what stands behind it is merged into the mapping around it (D53). */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN";
}

/**
 * Collects the pairs behind a merge key, those first that win over later ones of the same key.
 * @returns what is wrong with it
 */
export function collectMerged(value: unknown, sources: MergeSources, pairs: Pair[], depth = 0): string | undefined {
  const target = isAlias(value) ? sources.resolve(value) : value;
  if (depth > LONGEST_CHAIN) return `found a chain of merge keys (<<); accepted: at most ${LONGEST_CHAIN}`;
  if (isSeq(target) && !target.items.some((item) => isSeq(item)))
    return collectAll(target.items, sources, pairs, depth);
  if (!isMap(target)) return `found a merge key (<<) without a mapping; ${ACCEPTED}`;
  if (!sources.spend(target.items.length + 1)) return undefined;
  pairs.push(...target.items.filter(({ key }) => !isMergeKey(key)));
  const further = target.items.filter(({ key }) => isMergeKey(key)).map((pair) => pair.value);
  return collectAll(further, sources, pairs, depth);
}

function collectAll(
  values: readonly unknown[],
  sources: MergeSources,
  pairs: Pair[],
  depth: number,
): string | undefined {
  for (const value of values) {
    const problem = collectMerged(value, sources, pairs, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Finds what an alias stands for; undefined when no anchor of its name stands before it. */
type ResolveAlias = (alias: Alias) => Node | undefined;

/**
 * Reads the anchors of a document when the first alias is met. `Alias.resolve` would walk through the document for each
 * of them: time squared for a document of aliases.
 */
export function aliasResolver(document: Document): ResolveAlias {
  let targets: ReadonlyMap<Alias, Node> | undefined;
  return (alias) => {
    targets ??= aliasTargets(document);
    return targets.get(alias);
  };
}

/** An anchor can stand more than once: an alias means the last one before it. */
function aliasTargets(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, (_, node) => {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
    } else if (isNode(node) && "anchor" in node && node.anchor !== undefined) {
      anchors.set(node.anchor, node);
    }
  });
  return targets;
}
