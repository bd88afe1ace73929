import type { ASTNode } from "@marcbachmann/cel-js";
import { childrenOf } from "./syntax.ts";

/** What calls have and lists do not: arguments, and the request that is made of them. */
const OF_CALLS = [
  ["mcp", "tool", "params", "arguments"],
  ...["method", "path", "query", "headers", "form"].map((member) => ["http", member]),
];

/**
 * Whether an expression reads the arguments of a call or what is made of them, or might: each mention of `request` has to lead, by
 * names that stand in the text, to something else. What hides tools must not guess.
 */
export function readsArguments(node: ASTNode): boolean {
  const path = pathFromRequest(node);
  if (path !== undefined)
    return OF_CALLS.some((one) => one.every((step, index) => path[index] === undefined || path[index] === step));
  return childrenOf(node).some(readsArguments);
}

/** What of a request is the same for every list of one caller: which tool of which app is asked for. */
const OF_TOOLS = [
  ["mcp", "tool"],
  ["mcp", "app"],
  ["mcp", "method"],
];

/**
 * Whether an expression reads no more of a request than which tool it is about. Claims of the caller are no part of the request;
 * headers, addresses and sessions are.
 */
export function readsToolsAlone(node: ASTNode): boolean {
  const path = pathFromRequest(node);
  if (path !== undefined) return OF_TOOLS.some((one) => one.every((step, index) => path[index] === step));
  return childrenOf(node).every(readsToolsAlone);
}

/** `request.mcp["app"]` is `["mcp", "app"]`; undefined for what does not begin with `request`. */
function pathFromRequest(node: ASTNode): readonly string[] | undefined {
  if (node.op === "id") return node.args === "request" ? [] : undefined;
  if (node.op !== "." && node.op !== "[]") return undefined;
  const [object, member] = node.args;
  const before = pathFromRequest(object);
  const step = typeof member === "string" ? member : literalText(member);
  return before === undefined || step === undefined ? undefined : [...before, step];
}

function literalText({ op, args }: ASTNode): string | undefined {
  return op === "value" && typeof args === "string" ? args : undefined;
}
