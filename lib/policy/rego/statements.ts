import { EvaluationError, spend } from "./budget.ts";
import { type Callables, callBuiltin, callDynamic, callFunction } from "./calls.ts";
import { type Locals, NEXT, RETURN, type Step } from "./context.ts";
import { parseNumber } from "./number.ts";
import { child, integerOf, listOf, localOf, type Part, PlanError, textOf } from "./plan.ts";
import { equal, isArray, RegoObject, RegoSet, type Value } from "./value.ts";

/** What statements of one function are prepared with. */
export interface Scope extends Callables {
  readonly strings: readonly string[];
  readonly files: readonly string[];
  /** Number of locals that were named so far. */
  locals: number;
  /** Locals that are `data` or a part of it by nothing but references. */
  readonly documents: Set<number>;
}

type Read = (locals: Locals) => Value | undefined;
type Prepare = (part: Part, scope: Scope) => Step;

/** Blocks in order: an undefined statement ends its own block alone (IR, "Execution"). */
export function prepareBlocks(parts: readonly Part[], scope: Scope): Step {
  const blocks = parts.map((part) => prepareBlock(part, scope));
  const [only] = blocks;
  if (blocks.length === 1 && only !== undefined) return (locals, context) => outOf(only(locals, context));
  return (locals, context) => {
    for (const block of blocks) {
      const after = outOf(block(locals, context));
      if (after !== NEXT) return after;
    }
    return NEXT;
  };
}

/** What follows a block that ended so. */
function outOf(after: number): number {
  return after <= 0 ? NEXT : after === RETURN ? RETURN : after - 1;
}

/** Statements in order; what ends them is what the last one said. */
function prepareBlock(part: Part, scope: Scope): Step {
  const steps = listOf(part, "stmts").map((statement) => prepareStatement(statement, scope));
  const cost = steps.length;
  return (locals, context) => {
    spend(cost);
    for (const step of steps) {
      const after = step(locals, context);
      if (after !== NEXT) return after;
    }
    return NEXT;
  };
}

function prepareStatement(part: Part, scope: Scope): Step {
  const type = textOf(part, "type");
  const prepare = Object.hasOwn(STATEMENTS, type) ? STATEMENTS[type] : undefined;
  if (prepare === undefined)
    throw new PlanError(`${part.at} is a statement of the unknown type ${JSON.stringify(type)}`);
  return prepare(child(part, "stmt"), scope);
}

const STATEMENTS: Readonly<Record<string, Prepare>> = {
  ArrayAppendStmt: (part, scope) => {
    const [array, read] = [variable(part, "array", scope), operand(part, "value", scope)];
    return (locals) => {
      spend(1);
      (locals[array] as Value[]).push(read(locals) as Value);
      return NEXT;
    };
  },
  AssignIntStmt: makesConstant((part) => integerOf(part, "value")),
  AssignVarOnceStmt: (part, scope) => {
    const [target, read, at] = [variable(part, "target", scope), operand(part, "source", scope), location(part, scope)];
    return (locals) => {
      const [before, value] = [locals[target], read(locals)];
      if (before !== undefined && !equal(before, value))
        throw conflict("complete rules must not have several values", at);
      locals[target] = value;
      return NEXT;
    };
  },
  AssignVarStmt: (part, scope) => {
    const [target, read] = [variable(part, "target", scope), operand(part, "source", scope)];
    return (locals) => {
      locals[target] = read(locals);
      return NEXT;
    };
  },
  BlockStmt: (part, scope) => prepareBlocks(listOf(part, "blocks"), scope),
  BreakStmt: (part) => {
    const index = integerOf(part, "index");
    if (index < 0) throw new PlanError(`${part.at}.index is negative`);
    return () => index;
  },
  CallDynamicStmt: (part, scope) => {
    const { args } = part.json;
    if (!Array.isArray(args)) throw new PlanError(`${part.at}.args is no list`);
    const reads = args.map((_, index) =>
      variable({ json: args as never, at: `${part.at}.args` }, String(index), scope),
    );
    const path = listOf(part, "path").map((entry) => readOperand(entry, scope));
    return callDynamic(reads, path, variable(part, "result", scope), scope);
  },
  CallStmt: (part, scope) => {
    const [name, result] = [textOf(part, "func"), variable(part, "result", scope)];
    const reads = listOf(part, "args").map((entry) => readOperand(entry, scope));
    return scope.functions.has(name)
      ? callFunction(part, name, reads, result, scope)
      : callBuiltin(part, name, reads, result, location(part, scope));
  },
  DotStmt: (part, scope) => {
    const [source, key] = [operand(part, "source", scope), operand(part, "key", scope)];
    const target = variable(part, "target", scope);
    const read = isOfData(part, target, scope) ? dotData : dot;
    return (locals) => {
      const value = read(source(locals), key(locals));
      locals[target] = value;
      return value === undefined ? 0 : NEXT;
    };
  },
  EqualStmt: (part, scope) => {
    const [one, other] = [operand(part, "a", scope), operand(part, "b", scope)];
    return (locals) => (equal(one(locals), other(locals)) ? NEXT : 0);
  },
  IsArrayStmt: is(isArray),
  IsDefinedStmt: (part, scope) => {
    const source = variable(part, "source", scope);
    return (locals) => (locals[source] === undefined ? 0 : NEXT);
  },
  IsObjectStmt: is((value) => value instanceof RegoObject),
  IsSetStmt: is((value) => value instanceof RegoSet),
  IsUndefinedStmt: (part, scope) => {
    const source = variable(part, "source", scope);
    return (locals) => (locals[source] === undefined ? NEXT : 0);
  },
  LenStmt: (part, scope) => {
    const [read, target] = [operand(part, "source", scope), variable(part, "target", scope)];
    return (locals) => {
      const value = read(locals);
      const composite = value instanceof RegoObject || value instanceof RegoSet;
      locals[target] = composite ? value.size : isArray(value) || typeof value === "string" ? value.length : undefined;
      return locals[target] === undefined ? 0 : NEXT;
    };
  },
  MakeArrayStmt: makes((): Value => []),
  MakeNullStmt: makesConstant(() => null),
  MakeNumberIntStmt: makesConstant((part) => integerOf(part, "value")),
  MakeNumberRefStmt: makesConstant((part, scope) => {
    // Go writes this member in upper case.
    const text = constant({ json: { Index: part.json.index, ...part.json }, at: part.at }, "Index", scope);
    const value = parseNumber(text);
    if (value === undefined) throw new PlanError(`${part.at} is the number ${JSON.stringify(text)}, which is none`);
    return value;
  }),
  MakeObjectStmt: makes(() => new RegoObject()),
  MakeSetStmt: makes(() => new RegoSet()),
  NopStmt: () => () => NEXT,
  NotEqualStmt: (part, scope) => {
    const [one, other] = [operand(part, "a", scope), operand(part, "b", scope)];
    return (locals) => (equal(one(locals), other(locals)) ? 0 : NEXT);
  },
  NotStmt: (part, scope) => {
    const block = prepareBlock(child(part, "block"), scope);
    return (locals, context) => {
      const after = block(locals, context);
      return after === NEXT ? 0 : outOf(after);
    };
  },
  ObjectInsertOnceStmt: (part, scope) => {
    const [object, at] = [variable(part, "object", scope), location(part, scope)];
    const [readKey, readValue] = [operand(part, "key", scope), operand(part, "value", scope)];
    return (locals) => {
      const [target, key, value] = [locals[object] as RegoObject, readKey(locals) as Value, readValue(locals) as Value];
      const before = target.get(key);
      if (before === undefined) target.set(key, value);
      else if (!equal(before, value)) throw conflict("object keys must be unique", at);
      return NEXT;
    };
  },
  ObjectInsertStmt: (part, scope) => {
    const object = variable(part, "object", scope);
    const [key, value] = [operand(part, "key", scope), operand(part, "value", scope)];
    return (locals) => {
      (locals[object] as RegoObject).set(key(locals) as Value, value(locals) as Value);
      return NEXT;
    };
  },
  ObjectMergeStmt: (part, scope) => {
    const [a, b, target] = [variable(part, "a", scope), variable(part, "b", scope), variable(part, "target", scope)];
    return (locals) => {
      locals[target] = merged(locals[a], locals[b]);
      return locals[target] === undefined ? 0 : NEXT;
    };
  },
  ResetLocalStmt: (part, scope) => {
    const target = variable(part, "target", scope);
    return (locals) => {
      locals[target] = undefined;
      return NEXT;
    };
  },
  ResultSetAddStmt: (part, scope) => {
    const value = variable(part, "value", scope);
    return (locals, context) => {
      context.results.add(locals[value] as Value);
      return NEXT;
    };
  },
  ReturnLocalStmt: (part, scope) => {
    const source = variable(part, "source", scope);
    return (locals, context) => {
      context.returned = locals[source];
      return RETURN;
    };
  },
  ScanStmt: (part, scope) => {
    const [source, key] = [variable(part, "source", scope), variable(part, "key", scope)];
    const [value, block] = [variable(part, "value", scope), prepareBlock(child(part, "block"), scope)];
    return (locals, context) => {
      for (const [name, member] of membersOf(locals[source])) {
        locals[key] = name;
        locals[value] = member;
        const after = outOf(block(locals, context));
        if (after !== NEXT) return after;
      }
      return NEXT;
    };
  },
  SetAddStmt: (part, scope) => {
    const [set, read] = [variable(part, "set", scope), operand(part, "value", scope)];
    return (locals) => {
      (locals[set] as RegoSet).add(read(locals) as Value);
      return NEXT;
    };
  },
  WithStmt: (part, scope) => {
    const [local, read] = [variable(part, "local", scope), operand(part, "value", scope)];
    const { path: indexes } = part.json;
    if (indexes !== undefined && indexes !== null && !Array.isArray(indexes))
      throw new PlanError(`${part.at}.path is no list`);
    const path = ((indexes ?? []) as readonly unknown[]).map((_, index) =>
      constant({ json: indexes as never, at: `${part.at}.path` }, String(index), scope),
    );
    const block = prepareBlock(child(part, "block"), scope);
    return (locals, context) => {
      const [before, memo] = [locals[local], context.memo];
      locals[local] = withValue(before, path, read(locals));
      context.memo = new Map();
      const after = block(locals, context);
      locals[local] = before;
      context.memo = memo;
      return after === NEXT ? NEXT : after === 0 ? 0 : outOf(after);
    };
  },
};

/** Statement kinds that are served, for the documentation. */
export const STATEMENT_KINDS: readonly string[] = Object.keys(STATEMENTS);

function is(accepts: (value: Value | undefined) => boolean): Prepare {
  return (part, scope) => {
    const read = operand(part, "source", scope);
    return (locals) => (accepts(read(locals)) ? NEXT : 0);
  };
}

function makes(make: () => Value): Prepare {
  return (part, scope) => {
    const target = variable(part, "target", scope);
    return (locals) => {
      locals[target] = make();
      return NEXT;
    };
  };
}

function makesConstant(read: (part: Part, scope: Scope) => Value): Prepare {
  return (part, scope) => {
    const value = read(part, scope);
    return makes(() => value)(part, scope);
  };
}

function variable(part: Part, name: string, scope: Scope): number {
  const local = localOf(part, name);
  scope.locals = Math.max(scope.locals, local + 1);
  return local;
}

function operand(part: Part, name: string, scope: Scope): Read {
  return readOperand(child(part, name), scope);
}

function readOperand(part: Part, scope: Scope): Read {
  const { type, value } = part.json;
  if (type === "local") {
    const local = variable(part, "value", scope);
    return (locals) => locals[local];
  }
  if (type === "bool" && typeof value === "boolean") return () => value;
  if (type !== "string_index") throw new PlanError(`${part.at} is no operand: neither local, string_index nor bool`);
  const text = constant(part, "value", scope);
  return () => text;
}

function constant(part: Part, name: string, { strings }: Scope): string {
  const text = strings[integerOf(part, name)];
  if (text === undefined) throw new PlanError(`${part.at}.${name} is no index of static.strings`);
  return text;
}

/** `policy.rego:3`. */
function location({ json }: Part, { files }: Scope): string | undefined {
  const file = typeof json.file === "number" ? files[json.file] : undefined;
  return file === undefined ? undefined : `${file}:${json.row}`;
}

function conflict(message: string, at: string | undefined): EvaluationError {
  return new EvaluationError("eval_conflict_error", message, at);
}

function isOfData({ json: { source } }: Part, target: number, { documents }: Scope): boolean {
  const { type, value } = source as { readonly type?: unknown; readonly value?: unknown };
  const isOf = type === "local" && typeof value === "number" && documents.has(value);
  if (isOf) documents.add(target);
  return isOf;
}

/** In the store all keys are texts, so `data.limits[5]` finds "5" (OPA, `storage.NewPathForRef`). */
function dotData(source: Value | undefined, key: Value | undefined): Value | undefined {
  const value = dot(source, key);
  return value === undefined && typeof key === "number" && source instanceof RegoObject
    ? source.get(String(key))
    : value;
}

/** A member of an object or a set, or an element by its index. */
export function dot(source: Value | undefined, key: Value | undefined): Value | undefined {
  if (key === undefined) return undefined;
  if (source instanceof RegoObject) return source.get(key);
  if (isArray(source)) return typeof key === "number" ? source[key] : undefined;
  return source instanceof RegoSet && source.has(key) ? key : undefined;
}

/** Of a scalar there are none. */
function* membersOf(source: Value | undefined): Generator<readonly [Value, Value]> {
  if (isArray(source)) for (const [index, value] of source.entries()) yield [index, value];
  else if (source instanceof RegoObject) for (const key of source.keys()) yield [key, source.get(key) as Value];
  else if (source instanceof RegoSet) for (const value of source.values()) yield [value, value];
}

/** The first one's members stand where both have one that is no object. */
function merged(one: Value | undefined, other: Value | undefined): Value | undefined {
  if (one === undefined) return other;
  if (other === undefined || !(one instanceof RegoObject) || !(other instanceof RegoObject)) return one;
  const result = other.copy();
  for (const [key, value] of one.entries()) result.set(key, merged(value, other.get(key)) as Value);
  return result;
}

/** A copy of a document in which the value stands at the path. */
function withValue(document: Value | undefined, path: readonly string[], value: Value | undefined): Value | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const result = document instanceof RegoObject ? document.copy() : new RegoObject();
  const inner = withValue(result.get(name), rest, value);
  if (inner !== undefined) result.set(name, inner);
  return result;
}
