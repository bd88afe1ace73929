/**
 * As `JSON.parse`, but numbers that change when JavaScript writes them again (long integers, many digits, exponents out of
 * range) stay as they were written: `JSON.stringify` gives back their text. Such a number is an object of `JSON.rawJSON`, which
 * `structuredClone` does not keep; all others are numbers. Limits of size and depth are the caller's.
 *
 * @throws {SyntaxError} when the text is no JSON
 */
export function parseExact(text: string): unknown {
  if (!mayChange(text)) return JSON.parse(text);
  return ExactJSON.parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && !isKept(source, value) ? ExactJSON.rawJSON(source) : value,
  );
}

/** False: `JSON.parse` reads the same as `parseExact`. */
export function mayChange(text: string): boolean {
  return SUSPICIOUS.test(text);
}

/** Whether a value is a number that `parseExact` left as it was written. */
export function isExactNumber(value: unknown): boolean {
  return ExactJSON.isRawJSON(value);
}

/** Whether there is such a number anywhere in a value. */
export function holdsExactNumber(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isExactNumber(value) || Object.values(value).some(holdsExactNumber);
}

/** ECMAScript 2026, JSON.parse source text access; the compiler's library has no types of it. */
interface SourceTextAccess {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

const ExactJSON = JSON as unknown as SourceTextAccess;

/** Every decimal of 15 digits has a double that is written as it (IEEE 754 binary64), within exponents of two digits. */
const SUSPICIOUS = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** Whether the number that JavaScript writes has the same value, however it spells it. */
function isKept(source: string, value: number): boolean {
  const [written, read] = [decimal(source), decimal(String(value))];
  return written.digits === read.digits && (written.digits === "" || written.exponent === read.exponent);
}

/** The digits of a number without zeros around them, and the power of ten of the last one. */
function decimal(text: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "", exponent = "0"] = text.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  let end = digits.length;
  // A pattern would look at inner zeros again and again.
  while (digits[end - 1] === "0") end--;
  return { digits: digits.slice(0, end), exponent: Number(exponent) - fraction.length + digits.length - end };
}
