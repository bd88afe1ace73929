import type { ASTNode } from "@marcbachmann/cel-js";

/** A mistake in an expression, for people; `offset` counts characters of the expression. */
export class ExpressionError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.name = "ExpressionError";
    this.offset = offset;
  }
}

/** The operands of a node, those of calls and literals included, in the order of the text. */
export function childrenOf({ args }: ASTNode): readonly ASTNode[] {
  return nodesIn(args);
}

/** A call with a receiver, `list.all(x, x > 0)`; undefined for what is none. */
export function methodCall(node: ASTNode): MethodCall | undefined {
  if (node.op !== "rcall") return undefined;
  const [name, receiver, given] = node.args;
  return { name, receiver, given };
}

export interface MethodCall {
  readonly name: string;
  readonly receiver: ASTNode;
  readonly given: readonly ASTNode[];
}

/** Every node of the tree. */
export function* nodesOf(root: ASTNode): Generator<ASTNode> {
  yield root;
  for (const child of childrenOf(root)) yield* nodesOf(child);
}

function nodesIn(value: unknown): readonly ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return isNode(value) ? [value] : [];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}
