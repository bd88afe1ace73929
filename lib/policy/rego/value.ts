import { EvaluationError, spend, spendText } from "./budget.ts";
import { compareNumbers, Decimal, fromDouble, isNumber, numberText, parseNumber, type RegoNumber } from "./number.ts";

/** A value of Rego. Arrays are JavaScript's; what is in them never changes once it is a part of something else. */
export type Value = null | boolean | RegoNumber | string | readonly Value[] | RegoObject | RegoSet;

/** Finds a value in a `Map`: scalars find themselves, what is composed of others a text that no string is equal to. */
type Key = null | boolean | number | bigint | string;

/** What strings and keys that stand for other values begin with, to tell them apart. */
const MARK = "\u0000";

/** An object with any values as keys. Only who made it adds to it. */
export class RegoObject {
  readonly #values = new Map<Key, Value>();
  /** Keys that are not what finds them. */
  #keys: Map<Key, Value> | undefined;
  #sorted: readonly Value[] | undefined;
  #key: string | undefined;
  /** Members that are not read yet, of JSON. */
  #source: object | undefined;

  /** @param source a JSON object: read when it is first asked about */
  constructor(source?: object) {
    this.#source = source;
  }

  get size(): number {
    if (this.#source !== undefined) this.#read();
    return this.#values.size;
  }

  get(key: Value): Value | undefined {
    if (this.#source !== undefined) this.#read();
    return this.#values.get(keyOf(key));
  }

  has(key: Value): boolean {
    if (this.#source !== undefined) this.#read();
    return this.#values.has(keyOf(key));
  }

  set(key: Value, value: Value): void {
    if (this.#source !== undefined) this.#read();
    spend(1);
    const found = keyOf(key);
    if (found !== key) {
      this.#keys ??= new Map();
      this.#keys.set(found, key);
    }
    this.#values.set(found, value);
    this.#sorted = undefined;
    this.#key = undefined;
  }

  /** Keys in Rego's order. */
  keys(): readonly Value[] {
    if (this.#source !== undefined) this.#read();
    this.#sorted ??= sorted([...this.#values.keys()].map((key) => this.#keys?.get(key) ?? key));
    return this.#sorted;
  }

  /** In the order of keys. */
  entries(): readonly (readonly [Value, Value])[] {
    const keys = this.keys();
    spend(keys.length / 4);
    return keys.map((key) => [key, this.get(key) as Value]);
  }

  copy(): RegoObject {
    if (this.#source !== undefined) this.#read();
    spend(this.#values.size);
    const made = new RegoObject();
    for (const [key, value] of this.#values) made.#values.set(key, value);
    if (this.#keys !== undefined) made.#keys = new Map(this.#keys);
    return made;
  }

  /** @internal */
  get key(): string {
    this.#key ??= joined(
      "{",
      this.entries().map(([key, value]) => `${nested(key)}:${nested(value)}`),
    );
    return this.#key;
  }

  #read(): void {
    const source = this.#source as Readonly<Record<string, unknown>>;
    this.#source = undefined;
    const names = Object.keys(source);
    spend(names.length);
    for (const name of names) {
      const value = source[name];
      // As JSON.stringify leaves it out.
      if (value !== undefined) this.#values.set(keyOf(name), fromJson(value));
      if (!name.startsWith(MARK)) continue;
      this.#keys ??= new Map();
      this.#keys.set(keyOf(name), name);
    }
  }
}

/** A set. Only who made it adds to it. */
export class RegoSet {
  readonly #values = new Map<Key, Value>();
  #sorted: readonly Value[] | undefined;
  #key: string | undefined;

  constructor(values: Iterable<Value> = []) {
    for (const value of values) this.add(value);
  }

  get size(): number {
    return this.#values.size;
  }

  has(value: Value): boolean {
    return this.#values.has(keyOf(value));
  }

  add(value: Value): void {
    spend(1);
    const key = keyOf(value);
    if (this.#values.has(key)) return;
    this.#values.set(key, value);
    this.#sorted = undefined;
    this.#key = undefined;
  }

  /** In Rego's order. */
  values(): readonly Value[] {
    this.#sorted ??= sorted([...this.#values.values()]);
    return this.#sorted;
  }

  /** @internal */
  get key(): string {
    this.#key ??= joined("<", this.values().map(nested));
    return this.#key;
  }
}

export function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

export type TypeName = "null" | "boolean" | "number" | "string" | "array" | "object" | "set";

export function typeName(value: Value): TypeName {
  if (value === null) return "null";
  if (typeof value === "string" || typeof value === "boolean") return typeof value as TypeName;
  if (isArray(value)) return "array";
  if (value instanceof RegoObject) return "object";
  return value instanceof RegoSet ? "set" : "number";
}

function keyOf(value: Value): Key {
  if (typeof value === "string") return value.charCodeAt(0) === 0 ? `${MARK}"${value}` : value;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof RegoObject || value instanceof RegoSet) return value.key;
  if (value instanceof Decimal) return `${MARK}${numberText(value)}`;
  return joined("[", value.map(nested));
}

/** What is inside several times is written several times, so that a short plan could make a long text. */
function joined(opening: string, parts: readonly string[]): string {
  spendText(parts.reduce((length, part) => length + part.length, 0));
  return `${MARK}${opening}${parts.join(",")}]`;
}

/** As a part of the key of another. */
function nested(value: Value): string {
  if (typeof value === "string") {
    spendText(value.length);
    return JSON.stringify(value);
  }
  spend(1);
  if (isNumber(value)) return numberText(value);
  const key = keyOf(value);
  return typeof key === "string" ? key.slice(1) : String(key);
}

const ORDER: readonly TypeName[] = ["null", "boolean", "number", "string", "array", "object", "set"];

/** Rego's order of all values (ast/compare.go). */
export function compare(one: Value, other: Value): number {
  if (one === other) return 0;
  if (typeof one === "string" && typeof other === "string") return compareStrings(one, other);
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  const type = typeName(one);
  const rank = ORDER.indexOf(type) - ORDER.indexOf(typeName(other));
  if (rank !== 0) return rank;
  if (type === "boolean") return one === true ? 1 : -1;
  if (isArray(one)) return compareArrays(one, other as readonly Value[]);
  if (one instanceof RegoSet) return compareArrays(one.values(), (other as RegoSet).values());
  return compareObjects(one as RegoObject, other as RegoObject);
}

export function equal(one: Value | undefined, other: Value | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null || one === undefined || other === undefined) return false;
  if (isArray(one)) return isArray(other) && one.length === other.length && compareArrays(one, other) === 0;
  if (one instanceof RegoObject)
    return other instanceof RegoObject && one.size === other.size && compareObjects(one, other) === 0;
  if (one instanceof RegoSet) return other instanceof RegoSet && one.size === other.size && one.key === other.key;
  return other instanceof Decimal && compareNumbers(one, other) === 0;
}

/** By code points, as UTF-8 orders them; UTF-16 would have surrogates before U+E000. */
export function compareStrings(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  spendText(length / 8);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left === right) continue;
    const [isLeft, isRight] = [left >= 0xd800 && left < 0xe000, right >= 0xd800 && right < 0xe000];
    if (isLeft !== isRight) return isLeft ? (right >= 0xe000 ? 1 : left - right) : left >= 0xe000 ? -1 : left - right;
    return left - right;
  }
  return one.length - other.length;
}

function compareArrays(one: readonly Value[], other: readonly Value[]): number {
  const length = Math.min(one.length, other.length);
  spend(1 + length / 4);
  for (let index = 0; index < length; index += 1) {
    const order = compare(one[index] as Value, other[index] as Value);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function compareObjects(one: RegoObject, other: RegoObject): number {
  const [keys, otherKeys] = [one.keys(), other.keys()];
  const length = Math.min(keys.length, otherKeys.length);
  spend(1 + length / 2);
  for (let index = 0; index < length; index += 1) {
    const [key, otherKey] = [keys[index] as Value, otherKeys[index] as Value];
    const order = compare(key, otherKey);
    if (order !== 0) return order;
    const ofValues = compare(one.get(key) as Value, other.get(otherKey) as Value);
    if (ofValues !== 0) return ofValues;
  }
  return keys.length - otherKeys.length;
}

export function sorted(values: readonly Value[]): readonly Value[] {
  if (values.length < 2) return values;
  spend(values.length * Math.log2(values.length));
  return values.toSorted(compare);
}

/** Levels of a value from outside. */
const DEEPEST = 1_000;

/** Objects are read when they are first asked about. @param json as `JSON.parse` gives it; values of Rego stay what they are */
export function fromJson(json: unknown, depth = 0): Value {
  if (json === null || typeof json === "string" || typeof json === "boolean") return json;
  if (typeof json === "number") return fromDouble(json);
  if (typeof json === "bigint" || json instanceof RegoObject || json instanceof RegoSet || json instanceof Decimal)
    return json;
  if (depth > DEEPEST) throw new EvaluationError("eval_internal_error", "the document is nested too deeply");
  if (Array.isArray(json)) {
    spend(1 + json.length);
    return json.map((entry) => fromJson(entry ?? null, depth + 1));
  }
  if (typeof json === "object") return new RegoObject(json);
  throw new EvaluationError("eval_internal_error", "the document has a value that is not of JSON");
}

/** Numbers keep all their digits. Undefined: the text is not JSON. */
export function parseJson(text: string): Value | undefined {
  spend(80 + text.length / 8);
  try {
    const read = (_: string, value: unknown, { source }: { readonly source?: string }) => {
      // Half a surrogate pair is no text; Go reads U+FFFD.
      if (typeof value === "string") return value.toWellFormed();
      return typeof value === "number" && source !== undefined ? parseNumber(source) : value;
    };
    const exact = /\d{16}|\d[.eE]|\\u[dD]/.test(text);
    return fromJson(exact ? JSON.parse(text, read as (key: string, value: unknown) => unknown) : JSON.parse(text));
  } catch (error) {
    if (error instanceof EvaluationError) throw error;
    return undefined;
  }
}

/** Plain JSON: a set is an array, a key that is no string its JSON text. Numbers are doubles. */
export function toJson(value: Value): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (isNumber(value)) return typeof value === "number" ? value : Number(numberText(value));
  spend(1);
  if (isArray(value)) return value.map(toJson);
  if (value instanceof RegoSet) return value.values().map(toJson);
  const entries = value
    .entries()
    .map(([key, member]) => [typeof key === "string" ? key : jsonText(key), toJson(member)]);
  return Object.fromEntries(entries);
}

/** JSON with all digits of numbers; as `json.marshal`, but for what Go escapes. */
export function jsonText(value: Value): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") {
    spendText(value.length);
    return JSON.stringify(value);
  }
  spend(1);
  if (isNumber(value)) return numberText(value);
  if (isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (value instanceof RegoSet) return `[${value.values().map(jsonText).join(",")}]`;
  return `{${value
    .entries()
    .map(([key, member]) => `${JSON.stringify(typeof key === "string" ? key : jsonText(key))}:${jsonText(member)}`)
    .join(",")}}`;
}
