import { spend } from "../budget.ts";
import { isNumber, toBigInt, toDouble } from "../number.ts";
import type { Value } from "../value.ts";
import { builtinError } from "./operands.ts";
import { quoted, regoText } from "./rego-text.ts";

/** What Go's `fmt` is given of a value (topdown/strings.go): integers, floats, and the text of everything else. */
type Argument = bigint | number | string;

interface Directive {
  readonly minus: boolean;
  readonly plus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  readonly width: number;
  readonly precision: number | undefined;
}

const DIRECTIVE = /^([-+# 0]*)(?:\[(\d+)\])?(\*|\d+)?(?:(\.)(?:\[(\d+)\])?(\*|\d*))?(?:\[(\d+)\])?/u;
/** Characters that a directive may ask for. */
const WIDEST = 10_000;

/** Go's `fmt.Sprintf`, with its marks for what does not fit, as in `%!d(string=a)`. */
export function sprintf(format: string, values: readonly Value[]): string {
  const given = values.map(argumentOf);
  const [first = "", ...pieces] = format.split("%");
  const state = { next: 0, reordered: false };
  let result = first;
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index] as string;
    spend(1);
    // A mark behind nothing but flags stands for itself.
    if (index + 1 < pieces.length && DIRECTIVE.exec(piece)?.[0] === piece) {
      index += 1;
      result += `%${pieces[index]}`;
      continue;
    }
    const [text, rest] = directive(piece, given, state);
    result += text + rest;
  }
  if (state.reordered || state.next >= given.length) return result;
  const extra = given.slice(state.next).map((argument) => `${typeOf(argument)}=${plain(argument)}`);
  return `${result}%!(EXTRA ${extra.join(", ")})`;
}

function directive(
  piece: string,
  given: readonly Argument[],
  state: { next: number; reordered: boolean },
): readonly [string, string] {
  const [read, flags = "", atWidth, width, point, atPrecision, precision, at] = DIRECTIVE.exec(piece) ?? [""];
  const jump = (index: string | undefined): void => {
    if (index === undefined) return;
    state.next = Number(index) - 1;
    state.reordered = true;
  };
  const sized = (text: string | undefined): number | undefined => {
    if (text !== "*") return text === undefined ? undefined : Number(text);
    const size = given[state.next++];
    return typeof size === "bigint" ? Number(size) : undefined;
  };
  jump(atWidth);
  const asked = sized(width) ?? 0;
  jump(atPrecision);
  const digits = point === undefined ? undefined : (sized(precision) ?? 0);
  jump(at);
  if (Math.abs(asked) > WIDEST || (digits ?? 0) > WIDEST) throw builtinError("the directive is too wide");
  const verb = String.fromCodePoint(piece.codePointAt(read.length) ?? 0);
  if (piece.length <= read.length) return ["%!(NOVERB)", ""];
  const rest = piece.slice(read.length + verb.length);
  if (verb === "%") return ["%", rest];
  if (state.next < 0 || (at !== undefined && state.next >= given.length)) return [`%!${verb}(BADINDEX)`, rest];
  const argument = given[state.next];
  if (argument === undefined) return [`%!${verb}(MISSING)`, rest];
  state.next += 1;
  const options: Directive = {
    minus: flags.includes("-") || asked < 0,
    plus: flags.includes("+"),
    sharp: flags.includes("#"),
    space: flags.includes(" "),
    zero: flags.includes("0") && !flags.includes("-"),
    width: Math.abs(asked),
    precision: digits,
  };
  return [formatted(verb, argument, options), rest];
}

function argumentOf(value: Value): Argument {
  if (!isNumber(value)) return typeof value === "string" ? value : regoText(value);
  return toBigInt(value) ?? toDouble(value);
}

function typeOf(argument: Argument): string {
  if (typeof argument === "string") return "string";
  if (typeof argument === "number") return "float64";
  return BigInt.asIntN(64, argument) === argument ? "int64" : "*big.Int";
}

function plain(argument: Argument): string {
  return typeof argument === "number" ? general(argument, undefined, false) : String(argument);
}

function formatted(verb: string, argument: Argument, options: Directive): string {
  if (verb === "T") return padded(typeOf(argument), options);
  const text =
    typeof argument === "string"
      ? ofString(verb, argument, options)
      : typeof argument === "bigint"
        ? ofInteger(verb, argument, options)
        : ofFloat(verb, argument, options);
  return text ?? `%!${verb}(${typeOf(argument)}=${formatted("v", argument, { ...options, sharp: false })})`;
}

function ofString(verb: string, argument: string, options: Directive): string | undefined {
  const points = options.precision === undefined ? argument : [...argument].slice(0, options.precision).join("");
  if (verb === "s" || (verb === "v" && !options.sharp)) return padded(points, options);
  if (verb === "q" || verb === "v") {
    const raw = options.sharp && verb === "q" && !argument.includes("`");
    return padded(raw ? `\`${points}\`` : quoted(points), options);
  }
  if (verb !== "x" && verb !== "X") return undefined;
  const hex = [...new TextEncoder().encode(argument)].map((byte) => byte.toString(16).padStart(2, "0"));
  const text = hex.slice(0, options.precision).join(options.space ? " " : "");
  return padded(verb === "X" ? text.toUpperCase() : text, options);
}

const BASES: Readonly<Record<string, readonly [number, string]>> = {
  b: [2, "0b"],
  d: [10, ""],
  o: [8, "0"],
  O: [8, "0o"],
  v: [10, ""],
  x: [16, "0x"],
  X: [16, "0X"],
};

function ofInteger(verb: string, argument: bigint, options: Directive): string | undefined {
  if (verb === "c") return padded(String.fromCodePoint(codePoint(argument)), options);
  if (verb === "q") return padded(`'${String.fromCodePoint(codePoint(argument))}'`, options);
  if (verb === "U") return padded(`U+${argument.toString(16).toUpperCase().padStart(4, "0")}`, options);
  const isBig = BigInt.asIntN(64, argument) !== argument;
  const found = BASES[isBig && verb === "s" ? "d" : verb];
  if (found === undefined) return undefined;
  const [base, prefix] = found;
  const digits = (argument < 0n ? -argument : argument).toString(base).padStart(options.precision ?? 0, "0");
  const cased = verb === "X" ? digits.toUpperCase() : digits;
  const text = `${options.sharp || verb === "O" ? prefix : ""}${cased}`;
  return signed(argument < 0n, text, options, options.precision === undefined);
}

function codePoint(value: bigint): number {
  const point = Number(value);
  return point >= 0 && point <= 0x10ffff ? point : 0xfffd;
}

function ofFloat(verb: string, argument: number, options: Directive): string | undefined {
  const size = Math.abs(argument);
  const precision = options.precision === undefined ? undefined : Math.min(options.precision, 100);
  const negative = argument < 0 || Object.is(argument, -0);
  const text = floatText(verb, size, precision);
  return text === undefined ? undefined : signed(negative, text, options, true);
}

function floatText(verb: string, size: number, precision: number | undefined): string | undefined {
  switch (verb) {
    case "e":
      return exponential(size.toExponential(precision ?? 6));
    case "E":
      return exponential(size.toExponential(precision ?? 6)).toUpperCase();
    case "f":
    case "F":
      return fixed(size, precision ?? 6);
    case "g":
    case "v":
      return general(size, precision, false);
    case "G":
      return general(size, precision, true);
    default:
      return undefined;
  }
}

/** `toFixed` gives up on large numbers. */
function fixed(size: number, precision: number): string {
  if (size < 1e21) return size.toFixed(precision);
  return `${BigInt(size)}${precision > 0 ? `.${"0".repeat(precision)}` : ""}`;
}

/** `%g`: an exponent below -4, or of the precision and more, of 6 and more where none is asked for. */
function general(value: number, precision: number | undefined, upper: boolean): string {
  const [mantissa = "", power = "0"] = (
    precision === undefined ? value.toExponential() : value.toExponential(Math.max(precision - 1, 0))
  ).split("e");
  const exponent = Number(power);
  const most = precision === undefined ? 6 : Math.max(precision, 1);
  const shortened = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  if (exponent < -4 || exponent >= most) {
    const text = exponential(`${shortened}e${power}`);
    return upper ? text.toUpperCase() : text;
  }
  const places = Math.max(shortened.replace(/^-?\d\.?/, "").length - exponent, 0);
  return value.toFixed(Math.min(places, 100));
}

/** Go writes two digits of an exponent at least. */
function exponential(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

function signed(negative: boolean, text: string, options: Directive, mayZero: boolean): string {
  const sign = negative ? "-" : options.plus ? "+" : options.space ? " " : "";
  if (options.zero && mayZero && !options.minus) return sign + text.padStart(options.width - sign.length, "0");
  return padded(sign + text, { ...options, zero: false });
}

function padded(text: string, { width, minus, zero }: Directive): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  return minus ? text + " ".repeat(missing) : (zero ? "0" : " ").repeat(missing) + text;
}
