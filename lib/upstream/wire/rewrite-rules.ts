import type { JsonObject } from "../../kernel/json.ts";
import type { RequestId } from "../../protocol/mcp/message.ts";
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

/**
 * Whether rewriting could change anything of an answer's text but its white space: most answers have the agent's own id, and
 * none of the names that rules are about. Names are looked for anywhere in the text, as members may come twice.
 *
 * @param message the text as parsed
 * @param id that the answer has to have
 */
export function needsRewriting(text: string, message: JsonObject, id: RequestId, rules: RewriteRules): boolean {
  const { replace = [], set = [], insert = [] } = rules;
  if (message.id !== id || set.length > 0 || insert.length > 0) return true;
  if (ESCAPES.test(text)) return true;
  return text.indexOf(ID) !== text.lastIndexOf(ID) || namesIn(replace).some((name) => text.includes(name));
}

const ID = '"id"';
/** With these a name can be spelled in other ways (RFC 8259 §7). */
const ESCAPES = /\\[u/]/;

/** Each once, as it stands in a text. Of a path that ends in each entry of a list, the name before that is looked for. */
function namesIn(replace: NonNullable<RewriteRules["replace"]>): readonly string[] {
  const names = replace.map(({ path }) => path.findLast((step) => step !== "*"));
  return [...new Set(names)].map((name) => (name === undefined ? "" : `"${name}"`));
}
