import { spend } from "../budget.ts";
import {
  calculate,
  compareNumbers,
  fromBigInt,
  isNumber,
  parseNumber,
  type RegoNumber,
  totalOf,
  toWhole,
} from "../number.ts";
import { compare, equal, isArray, RegoObject, RegoSet, sorted, typeName, type Value } from "../value.ts";
import {
  type Builtin,
  type Builtins,
  bigIntAt,
  builtinError,
  elementsAt,
  numberAt,
  operandError,
  typeError,
} from "./operands.ts";

/** Comparison, arithmetic, bits and ranges (OPA, "Comparison", "Numbers", "Bitwise"). */
export const NUMBERS: Builtins = {
  equal: ([one, other]) => equal(one, other),
  neq: ([one, other]) => !equal(one, other),
  lt: ([one, other]) => compare(one as Value, other as Value) < 0,
  lte: ([one, other]) => compare(one as Value, other as Value) <= 0,
  gt: ([one, other]) => compare(one as Value, other as Value) > 0,
  gte: ([one, other]) => compare(one as Value, other as Value) >= 0,
  eq: ([one, other]) => equal(one, other),
  plus: (values) => calculate("plus", numberAt(values, 0), numberAt(values, 1)),
  minus: (values) => {
    const [one, other] = values;
    if (one instanceof RegoSet && other instanceof RegoSet)
      return new RegoSet(one.values().filter((value) => !other.has(value)));
    if (!isNumber(one) && !(one instanceof RegoSet)) throw typeError(values, 0, "number", "set");
    if (!isNumber(one)) throw typeError(values, 1, "set");
    return calculate("minus", one, numberAt(values, 1));
  },
  mul: (values) => calculate("times", numberAt(values, 0), numberAt(values, 1)),
  div: (values) => calculate("over", numberAt(values, 0), numberAt(values, 1)),
  rem: (values) => {
    const [one, other] = [numberAt(values, 0), numberAt(values, 1)];
    if (compareNumbers(other, 0) === 0) throw builtinError("modulo by zero");
    if (!isWhole(one) || !isWhole(other)) throw builtinError("modulo on floating-point number");
    return fromBigInt(BigInt(one) % BigInt(other));
  },
  abs: (values) => {
    const value = numberAt(values, 0);
    return compareNumbers(value, 0) < 0 ? calculate("minus", 0, value) : value;
  },
  round: (values) => toWhole("round", numberAt(values, 0)),
  ceil: (values) => toWhole("ceil", numberAt(values, 0)),
  floor: (values) => toWhole("floor", numberAt(values, 0)),
  "bits.and": onBits((one, other) => one & other),
  "bits.or": onBits((one, other) => one | other),
  "bits.xor": onBits((one, other) => one ^ other),
  "bits.negate": (values) => fromBigInt(~bigIntAt(values, 0)),
  "bits.lsh": onBits((one, other) => one << shift(other)),
  "bits.rsh": onBits((one, other) => one >> shift(other)),
  "numbers.range": (values) => range(bigIntAt(values, 0), bigIntAt(values, 1), 1n),
  "numbers.range_step": (values) => {
    const [from, to, step] = [bigIntAt(values, 0), bigIntAt(values, 1), bigIntAt(values, 2)];
    if (step <= 0n) throw builtinError("step must be a positive integer");
    return range(from, to, step);
  },
  to_number: (values) => {
    const [value] = values;
    if (value === null || typeof value === "boolean") return value === true ? 1 : 0;
    if (isNumber(value)) return value;
    if (typeof value !== "string") throw typeError(values, 0, "null", "boolean", "number", "string");
    if (/^[+-]*(inf|infinity|nan)$/i.test(value)) throw typeError(values, 0, "valid number string");
    const number = parseNumber(value);
    if (number === undefined) throw builtinError("invalid syntax");
    return number;
  },
};

/** OPA, "Aggregates". */
export const AGGREGATES: Builtins = {
  count: (values) => {
    const [value] = values;
    if (typeof value === "string") return codePoints(value);
    if (isArray(value)) return value.length;
    if (value instanceof RegoObject || value instanceof RegoSet) return value.size;
    throw typeError(values, 0, "array", "object", "set", "string");
  },
  sum: (values) => totalOf("plus", numbersOf(values)),
  product: (values) => totalOf("times", numbersOf(values)),
  max: (values) => extreme(values, 1),
  min: (values) => extreme(values, -1),
  sort: (values) => sorted(elementsAt(values, 0)),
  all: (values) => elementsAt(values, 0).every((value) => value === true),
  any: (values) => elementsAt(values, 0).some((value) => value === true),
};

function isWhole(value: RegoNumber): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
}

function onBits(combine: (one: bigint, other: bigint) => bigint): Builtin {
  return (values) => {
    const [one, other] = [bigIntAt(values, 0), bigIntAt(values, 1)];
    spend(4);
    return fromBigInt(combine(one, other));
  };
}

/** Bits that a number is shifted by at most; a larger one could not be held. */
const WIDEST = 10_000n;

function shift(by: bigint): bigint {
  if (by < 0n) throw operandError("operand 2 must be an unsigned integer number but got a negative integer");
  if (by > WIDEST) throw builtinError("the number is too large");
  return by;
}

function range(from: bigint, to: bigint, step: bigint): readonly Value[] {
  const values: Value[] = [];
  const add = (value: bigint) => {
    spend(1);
    values.push(fromBigInt(value));
  };
  if (from <= to) for (let value = from; value <= to; value += step) add(value);
  else for (let value = from; value >= to; value -= step) add(value);
  return values;
}

function numbersOf(values: readonly Value[]): readonly RegoNumber[] {
  const elements = elementsAt(values, 0);
  spend(elements.length / 4);
  return elements.map((value) => {
    if (isNumber(value)) return value;
    throw operandError(`operand 1 must have numbers only but has ${typeName(value)}`);
  });
}

/** Undefined of nothing. */
function extreme(values: readonly Value[], sign: 1 | -1): Value | undefined {
  const elements = elementsAt(values, 0);
  spend(elements.length);
  let [result] = elements;
  for (const value of elements) if (compare(value, result as Value) * sign > 0) result = value;
  return result;
}

export function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0xdc00 && code < 0xe000 && index > 0) {
      const before = text.charCodeAt(index - 1);
      if (before >= 0xd800 && before < 0xdc00) count -= 1;
    }
  }
  return count;
}
