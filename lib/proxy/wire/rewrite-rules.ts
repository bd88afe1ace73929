import type { Fact } from "./answer-facts.ts";

/** Where something is in a JSON text: names of members; `*` stands for each entry of a list. */
type Path = readonly string[];

export interface RewriteRules {
  /** Strings at a path become what the function returns. Those above 64 KiB of JSON stay as they are. */
  readonly replace?: readonly { readonly path: Path; readonly with: (value: string) => string }[];
  /** Values at a path, whatever they are, become this JSON, which has no line breaks. */
  readonly set?: readonly { readonly path: Path; readonly json: string }[];
  /**
   * Members, their JSON without line breaks, that are put in front of those of the object at a path. What the object has
   * under the same name is dropped.
   */
  readonly insert?: readonly { readonly path: Path; readonly name: string; readonly json: string }[];
}

/** What is to be done at one place of a text, and below it. */
export interface RuleNode {
  readonly members: Map<string, RuleNode>;
  each?: RuleNode;
  replace?: (value: string) => string;
  json?: string;
  readonly insert: Map<string, string>;
  fact?: Fact;
}

/** The root of a tree that has the rules, and the facts that are read of every answer. */
export function compileRules(
  rules: RewriteRules,
  facts: readonly { readonly path: Path; readonly fact: Fact }[],
): RuleNode {
  const root = emptyNode();
  for (const { path, with: replace } of rules.replace ?? []) nodeAt(root, path).replace = replace;
  for (const { path, json } of rules.set ?? []) nodeAt(root, path).json = json;
  for (const { path, name, json } of rules.insert ?? []) nodeAt(root, path).insert.set(name, json);
  for (const { path, fact } of facts) nodeAt(root, path).fact = fact;
  return root;
}

function nodeAt(root: RuleNode, path: Path): RuleNode {
  return path.reduce(childOf, root);
}

function childOf(node: RuleNode, step: string): RuleNode {
  const known = step === "*" ? node.each : node.members.get(step);
  if (known !== undefined) return known;
  const child = emptyNode();
  if (step === "*") node.each = child;
  else node.members.set(step, child);
  return child;
}

function emptyNode(): RuleNode {
  return { members: new Map(), insert: new Map() };
}
