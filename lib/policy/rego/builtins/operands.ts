import { EvaluationError } from "../budget.ts";
import type { Surroundings } from "../context.ts";
import { isNumber, type RegoNumber, toBigInt } from "../number.ts";
import { isArray, RegoObject, RegoSet, typeName, type Value } from "../value.ts";

/** Undefined: the call is undefined. @throws EvaluationError `eval_type_error`, `eval_builtin_error`, `budget_exceeded` */
export type Builtin = (values: readonly Value[], surroundings: Surroundings) => Value | undefined;

/** Functions of one family, by name. */
export type Builtins = Readonly<Record<string, Builtin>>;

/** The operand is of a type that the function does not take. @param position of the operand, from 0 */
export function typeError(values: readonly Value[], position: number, ...accepted: readonly string[]): EvaluationError {
  const value = values[position];
  const wanted = accepted.length === 1 ? `${accepted[0]}` : `one of {${accepted.join(", ")}}`;
  const got = value === undefined ? "nothing" : typeName(value);
  return new EvaluationError("eval_type_error", `operand ${position + 1} must be ${wanted} but got ${got}`);
}

/** The operand is of the right type and has a part that is not. */
export function operandError(message: string): EvaluationError {
  return new EvaluationError("eval_type_error", message);
}

/** The function cannot do what it is asked to. */
export function builtinError(message: string): EvaluationError {
  return new EvaluationError("eval_builtin_error", message);
}

export function stringAt(values: readonly Value[], position: number): string {
  const value = values[position];
  if (typeof value !== "string") throw typeError(values, position, "string");
  return value;
}

export function numberAt(values: readonly Value[], position: number): RegoNumber {
  const value = values[position];
  if (!isNumber(value)) throw typeError(values, position, "number");
  return value;
}

/** An integer of any size. */
export function bigIntAt(values: readonly Value[], position: number): bigint {
  const value = toBigInt(numberAt(values, position));
  if (value === undefined)
    throw operandError(`operand ${position + 1} must be integer number but got floating-point number`);
  return value;
}

export function integerAt(values: readonly Value[], position: number): number {
  return Number(bigIntAt(values, position));
}

export function arrayAt(values: readonly Value[], position: number): readonly Value[] {
  const value = values[position];
  if (!isArray(value)) throw typeError(values, position, "array");
  return value;
}

export function objectAt(values: readonly Value[], position: number): RegoObject {
  const value = values[position];
  if (!(value instanceof RegoObject)) throw typeError(values, position, "object");
  return value;
}

export function setAt(values: readonly Value[], position: number): RegoSet {
  const value = values[position];
  if (!(value instanceof RegoSet)) throw typeError(values, position, "set");
  return value;
}

/** Elements of an array or a set. */
export function elementsAt(values: readonly Value[], position: number): readonly Value[] {
  const value = values[position];
  if (isArray(value)) return value;
  if (value instanceof RegoSet) return value.values();
  throw typeError(values, position, "set", "array");
}

/** Elements of an array or a set, all of them strings. */
export function stringsAt(values: readonly Value[], position: number): readonly string[] {
  return elementsAt(values, position).map((value) => {
    if (typeof value === "string") return value;
    throw operandError(`operand ${position + 1} must have strings only but has ${typeName(value)}`);
  });
}
