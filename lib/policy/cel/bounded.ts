import type { ASTNode } from "@marcbachmann/cel-js";
import { methodCall, nodesOf } from "./syntax.ts";

/** What `bounded` writes into an expression, besides what is there. */
export const COUNTED = "_counted";
export const MATCHES = "_matches";

/** Loops (CEL specification, Macros). */
const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"]);

/**
 * The text of an expression with the same meaning that spends on a meter: whatever it runs through, also what it made
 * itself, and with regular expressions that take time linear in the text (CEL specification, Regular Expressions).
 */
export function bounded(text: string, root: ASTNode): string {
  const edits = [...nodesOf(root)].flatMap((node) => editsOf(node, text));
  // From the end, so that the positions before it still hold; of those at one place the inner ones come first.
  return edits
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((rewritten, { start, end, by }) => rewritten.slice(0, start) + by + rewritten.slice(end), text);
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

function editsOf(node: ASTNode, text: string): readonly Edit[] {
  if (node.op === "in") return counted(node.args[1]);
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
