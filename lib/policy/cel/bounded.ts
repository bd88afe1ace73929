import type { ASTNode } from "@marcbachmann/cel-js";
import { childrenOf, methodCall } from "./syntax.ts";

/** What `bounded` writes into an expression, besides what is there. */
export const COUNTED = "_counted";
export const MATCHES = "_matches";

/** Loops (CEL specification, Macros). */
const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"]);

/**
 * The text of an expression with the same meaning that spends on a meter: on what loops run through, also where a function
 * made it, and on each use of a variable, since what is no variable is made anew, out of input that is metered. Regular
 * expressions take time linear in the text (CEL specification, Regular Expressions).
 */
export function bounded(text: string, root: ASTNode): string {
  const nodes = [...evaluated(root)];
  const variables = new Set(nodes.flatMap((node) => declared(node)?.args ?? []));
  const edits = nodes.flatMap((node) => editsOf(node, variables, text));
  // From the end, so that the positions before it still hold; of those at one place the inner ones come first.
  return edits
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((rewritten, { start, end, by }) => rewritten.slice(0, start) + by + rewritten.slice(end), text);
}

/** All nodes but those that are names: where a variable is declared, and what `has` looks for. */
function* evaluated(node: ASTNode): Generator<ASTNode> {
  yield node;
  if (node.op === "call" && node.args[0] === "has") return;
  const name = declared(node);
  for (const child of childrenOf(node)) if (child !== name) yield* evaluated(child);
}

/** The variable that a loop or `cel.bind` declares. */
function declared(node: ASTNode): Extract<ASTNode, { op: "id" }> | undefined {
  const call = methodCall(node);
  if (call === undefined || !(LOOPS.has(call.name) || call.name === "bind")) return undefined;
  const [first] = call.given;
  return first?.op === "id" ? first : undefined;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

function editsOf(node: ASTNode, variables: ReadonlySet<string>, text: string): readonly Edit[] {
  if (node.op === "id") return variables.has(node.args) ? counted(node) : [];
  const call = methodCall(node);
  if (call === undefined) return [];
  if (LOOPS.has(call.name)) return counted(call.receiver);
  if (call.name !== "matches") return [];
  const first = call.given[0];
  const [from, to] = [call.receiver.range.end, first?.range.start ?? node.range.end];
  const start = from + text.slice(from, to).lastIndexOf("matches");
  return [{ start, end: start + "matches".length, by: MATCHES }];
}

function counted({ range: { start, end } }: ASTNode): readonly Edit[] {
  return [
    { start, end: start, by: `${COUNTED}(` },
    { start: end, end, by: ")" },
  ];
}
