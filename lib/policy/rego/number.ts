import { EvaluationError, spend } from "./budget.ts";

/**
 * A number of Rego. A `number` is a safe integer, or a fraction whose shortest text is its value. Other integers are a `bigint`,
 * other fractions a `Decimal`. So each value has one form, as OPA compares numbers by what their text says.
 */
export type RegoNumber = number | bigint | Decimal;

/** A fraction with more digits than a double tells apart: ± `digits` · 10^`exponent`, without zeros at its end. */
export class Decimal {
  readonly digits: bigint;
  readonly exponent: number;

  constructor(digits: bigint, exponent: number) {
    this.digits = digits;
    this.exponent = exponent;
  }
}

/** JSON's syntax of numbers (RFC 8259 §6), and the signs and zeros before it that Go reads. */
const SYNTAX = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Digits and exponents that a number may have. */
const LARGEST = 5_000;

/** Undefined: it is not the text of a number. @throws EvaluationError beyond what is counted with */
export function parseNumber(text: string): RegoNumber | undefined {
  const quick = Number(text);
  if (Number.isSafeInteger(quick) && text === String(quick)) return quick;
  const [, sign, whole = "", part = "", power = "0"] = SYNTAX.exec(text) ?? [];
  if (sign === undefined || whole + part === "") return undefined;
  if (whole.length + part.length > LARGEST || Math.abs(Number(power)) > LARGEST) throw tooLarge();
  const digits = BigInt(whole + part);
  return fromDecimal(sign === "-" ? -digits : digits, Number(power) - part.length);
}

/** ± digits · 10^exponent in its one form. */
export function fromDecimal(digits: bigint, exponent: number): RegoNumber {
  if (digits === 0n) return 0;
  if (exponent >= 0) return fromBigInt(digits * 10n ** BigInt(exponent));
  const least = Math.min(zerosAtEnd(digits.toString()), -exponent);
  const kept = least === 0 ? digits : digits / 10n ** BigInt(least);
  const power = exponent + least;
  if (power >= 0) return fromBigInt(kept);
  const double = Number(`${kept}e${power}`);
  const [ownDigits, ownPower] = decimalOf(double);
  return ownDigits === kept && ownPower === power ? double : new Decimal(kept, power);
}

function zerosAtEnd(text: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === "0") count += 1;
  return count;
}

export function fromBigInt(value: bigint): number | bigint {
  const double = Number(value);
  if (Number.isSafeInteger(double)) return double;
  if (value.toString(16).length > 4 * LARGEST) throw tooLarge();
  return value;
}

/** A double of JSON that was read by `JSON.parse`. */
export function fromDouble(value: number): RegoNumber {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  if (!Number.isInteger(value)) return value;
  const [digits, exponent] = decimalOf(value);
  return fromDecimal(digits, exponent);
}

export function isNumber(value: unknown): value is RegoNumber {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Decimal;
}

/** Undefined: it is a fraction. */
export function toBigInt(value: RegoNumber): bigint | undefined {
  if (typeof value === "bigint") return value;
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : undefined;
}

export function toDouble(value: RegoNumber): number {
  return value instanceof Decimal ? Number(`${value.digits}e${value.exponent}`) : Number(value);
}

/** As JSON has it. */
export function numberText(value: RegoNumber): string {
  if (value instanceof Decimal) return decimalText(value.digits, value.exponent);
  return String(value);
}

export function compareNumbers(one: RegoNumber, other: RegoNumber): number {
  if (!(one instanceof Decimal) && !(other instanceof Decimal)) return one < other ? -1 : one > other ? 1 : 0;
  const [digits, exponent] = decimalOf(one);
  const [otherDigits, otherExponent] = decimalOf(other);
  const least = Math.min(exponent, otherExponent);
  const [left, right] = [digits * 10n ** BigInt(exponent - least), otherDigits * 10n ** BigInt(otherExponent - least)];
  return left < right ? -1 : left > right ? 1 : 0;
}

export type ArithmeticOperator = "plus" | "minus" | "times" | "over";

/**
 * Exact on integers, and on fractions with 64 bits as Go's `big.Float` has them (topdown/arithmetic.go): 0.1 + 0.2 is 0.3.
 * @throws EvaluationError by zero
 */
export function calculate(operator: ArithmeticOperator, one: RegoNumber, other: RegoNumber): RegoNumber {
  if (typeof one === "number" && typeof other === "number") {
    const quick = quickly(operator, one, other);
    if (quick !== undefined) return quick;
  }
  spend(10);
  const [left, right] = [toBigInt(one), toBigInt(other)];
  if (left !== undefined && right !== undefined && operator !== "over") {
    spend((bitLength(left) + bitLength(right)) / 64);
    return fromBigInt(operator === "plus" ? left + right : operator === "minus" ? left - right : left * right);
  }
  if (operator === "over" && compareNumbers(other, 0) === 0)
    throw new EvaluationError("eval_builtin_error", "divide by zero");
  spend(ON_FLOATS);
  return fromFloat(onFloats(operator, toFloat(one), toFloat(other)));
}

function quickly(operator: ArithmeticOperator, one: number, other: number): number | undefined {
  if (!Number.isInteger(one) || !Number.isInteger(other)) return undefined;
  const result =
    operator === "plus"
      ? one + other
      : operator === "minus"
        ? one - other
        : operator === "times"
          ? one * other
          : one / other;
  return Number.isSafeInteger(result) ? result + 0 : undefined;
}

/** @param toward the direction in which a fraction is made whole; `round` goes away from zero at the half */
export function toWhole(toward: "ceil" | "floor" | "round", value: RegoNumber): RegoNumber {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  const { mantissa, exponent } = toFloat(value);
  if (exponent >= 0) return fromBigInt(mantissa << BigInt(exponent));
  const unit = 1n << BigInt(-exponent);
  if (toward === "round") {
    const away = mantissa < 0n ? -1n : 1n;
    return fromBigInt((mantissa + (away * unit) / 2n) / unit);
  }
  const whole = mantissa / unit;
  if (whole * unit === mantissa) return fromBigInt(whole);
  // Between -1 and 0 OPA goes by the sign of the whole part, which is none: floor says 0 and ceil 1 (topdown/arithmetic.go).
  if (toward === "floor") return fromBigInt(whole < 0n ? whole - 1n : whole);
  return fromBigInt(whole < 0n ? whole : whole + 1n);
}

/**
 * All of them added or multiplied. Integers are exact; where a fraction is among them all are floats, of a product doubles, as in
 * OPA (topdown/aggregates.go).
 */
export function totalOf(operator: "plus" | "times", values: readonly RegoNumber[]): RegoNumber {
  const start = operator === "plus" ? 0 : 1;
  if (values.every((value) => toBigInt(value) !== undefined))
    return values.reduce((total, value) => calculate(operator, total, value), start);
  const precision = operator === "plus" ? PRECISION : DOUBLE;
  let total: Float = { mantissa: BigInt(start), exponent: 0 };
  for (const value of values) {
    spend(ON_FLOATS);
    total = onFloats(operator, total, toFloat(value), precision);
  }
  return fromFloat(total, precision);
}

/** The whole part. */
export function truncate(value: RegoNumber): bigint {
  const { mantissa, exponent } = toFloat(value);
  return toBigInt(value) ?? (exponent >= 0 ? mantissa << BigInt(exponent) : mantissa / (1n << BigInt(-exponent)));
}

/** `mantissa` · 2^`exponent`; the mantissa has at most 64 bits. */
interface Float {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** Bits of Go's `big.Float` where nothing else is said, and of a double. */
const PRECISION = 64;
const DOUBLE = 53;
/** Steps that a calculation with fractions is worth. */
const ON_FLOATS = 160;

function toFloat(value: RegoNumber): Float {
  const [digits, exponent] = decimalOf(value);
  if (exponent >= 0) return rounded(digits * 10n ** BigInt(exponent), 0, false);
  return quotient({ mantissa: digits, exponent: 0 }, { mantissa: 10n ** BigInt(-exponent), exponent: 0 });
}

function onFloats(operator: ArithmeticOperator, one: Float, other: Float, precision = PRECISION): Float {
  if (operator === "over") return quotient(one, other);
  if (operator === "times")
    return rounded(one.mantissa * other.mantissa, one.exponent + other.exponent, false, precision);
  const least = Math.min(one.exponent, other.exponent);
  const left = one.mantissa << BigInt(one.exponent - least);
  const right = other.mantissa << BigInt(other.exponent - least);
  return rounded(operator === "plus" ? left + right : left - right, least, false);
}

function quotient(one: Float, other: Float): Float {
  const shift = Math.max(0, PRECISION + 2 + bitLength(other.mantissa) - bitLength(one.mantissa));
  const raised = one.mantissa << BigInt(shift);
  const inexact = raised % other.mantissa !== 0n;
  return rounded(raised / other.mantissa, one.exponent - shift - other.exponent, inexact);
}

/** To the nearest, at the half to the even one. @param more whether something is left below the last bit */
function rounded(mantissa: bigint, exponent: number, more: boolean, precision = PRECISION): Float {
  const negative = mantissa < 0n;
  const size = negative ? -mantissa : mantissa;
  const extra = bitLength(size) - precision;
  if (extra <= 0) return { mantissa, exponent };
  const cut = BigInt(extra);
  const kept = size >> cut;
  const rest = size - (kept << cut);
  const half = 1n << (cut - 1n);
  const up = rest > half || (rest === half && (more || (kept & 1n) === 1n));
  const result = up ? kept + 1n : kept;
  return { mantissa: negative ? -result : result, exponent: exponent + extra };
}

/** The shortest decimal that is nearer to this float than to any other of its precision. */
function fromFloat({ mantissa, exponent }: Float, precision = PRECISION): RegoNumber {
  if (mantissa === 0n) return 0;
  const negative = mantissa < 0n;
  let size = negative ? -mantissa : mantissa;
  const missing = BigInt(precision - bitLength(size));
  size = missing > 0n ? size << missing : size;
  const power = exponent - Number(missing > 0n ? missing : 0n);
  const whole = 1n << BigInt(Math.max(-power, 0));
  if (power <= 0 && size % whole === 0n) return fromBigInt((negative ? -size : size) / whole);
  const [digits, ten] = shortest(size, power);
  return fromDecimal(negative ? -digits : digits, ten);
}

function shortest(size: bigint, power: number): readonly [bigint, number] {
  // In units of 2^(power - 1), half of the last bit; 5^n · 2^-n = 10^-n makes them whole in decimals.
  const shift = Math.max(1 - power, 0);
  const scale = power >= 1 ? 1n << BigInt(power - 1) : 5n ** BigInt(shift);
  const [exact, lower, upper] = [2n * size * scale, (2n * size - 1n) * scale, (2n * size + 1n) * scale];
  const even = (size & 1n) === 0n;
  const places = exact.toString().length;
  for (let kept = 1; kept < places; kept += 1) {
    const unit = 10n ** BigInt(places - kept);
    const down = exact / unit;
    const twice = 2n * (exact - down * unit);
    // To the nearest, at the half to the even one.
    const near = (twice > unit || (twice === unit && (down & 1n) === 1n) ? down + 1n : down) * unit;
    if (near > lower && near < upper) return [near / unit, places - kept - shift];
    if (even && (near === lower || near === upper)) return [near / unit, places - kept - shift];
  }
  return [exact, -shift];
}

/** Digits and exponent of 10. */
export function decimalOf(value: RegoNumber): readonly [bigint, number] {
  if (value instanceof Decimal) return [value.digits, value.exponent];
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return [BigInt(value), 0];
  const [mantissa = "", power = "0"] = String(value).split("e");
  const [whole = "", part = ""] = mantissa.split(".");
  return [BigInt(whole + part), Number(power) - part.length];
}

function decimalText(digits: bigint, exponent: number): string {
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString();
  const point = text.length + exponent;
  const sign = negative ? "-" : "";
  if (point > 0) return `${sign}${text.slice(0, point)}.${text.slice(point)}`;
  if (point > -6) return `${sign}0.${"0".repeat(-point)}${text}`;
  return `${sign}${text[0]}${text.length > 1 ? `.${text.slice(1)}` : ""}e${point - 1}`;
}

function bitLength(value: bigint): number {
  const hex = (value < 0n ? -value : value).toString(16);
  return hex === "0" ? 0 : (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex[0] ?? "0", 16)));
}

function tooLarge(): EvaluationError {
  return new EvaluationError("eval_builtin_error", "the number is too large");
}
