import { type Alias, type Document, isAlias, isNode, type Node, visit } from "yaml";

/** Finds what an alias stands for; undefined when no anchor of its name stands before it. */
export type ResolveAlias = (alias: Alias) => Node | undefined;

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
