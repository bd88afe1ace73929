import { RegoObject, type Value } from "../../lib/policy/rego/value.ts";

/** Members that are not known: their names, or all that are not known by value. */
export type Unknown = readonly string[] | "others";

/**
 * A mapping of which not everything is known. Reading what is not known is no missing member, which an expression may look for, and for which Rego has
 * its own answer: it ends the evaluation, and is noted.
 */
export class Partial {
  /** As policies write it: `token.claims`. */
  readonly at: string;
  readonly known: Readonly<Record<string, unknown>>;
  readonly unknown: Unknown;

  constructor(at: string, known: Readonly<Record<string, unknown>>, unknown: Unknown) {
    this.at = at;
    this.known = known;
    this.unknown = unknown;
  }
}

/** Notes what was read and is not known. */
export type Reads = Set<string>;

class UnknownMember extends Error {}

/** The value as an expression of CEL reads it. Its `||` and `&&` forgive such an error exactly where no value could matter. */
export function celValue(value: unknown, reads: Reads): unknown {
  if (!(value instanceof Partial)) {
    return isPlain(value) ? mapped(value, (member) => celValue(member, reads)) : value;
  }
  const known = mapped(value.known, (member) => celValue(member, reads));
  // What every JavaScript object has is asked for by the evaluation itself.
  const isUnknown = (name: string | symbol): name is string =>
    typeof name === "string" && isUnknownIn(value, name) && !(name in Object.prototype);
  return new Proxy(known, {
    get: (target, name) => (isUnknown(name) ? refuse(value, reads, name) : Reflect.get(target, name)),
    has: (target, name) => (isUnknown(name) ? refuse(value, reads, name) : Reflect.has(target, name)),
    getOwnPropertyDescriptor: (target, name) =>
      isUnknown(name) ? refuse(value, reads, name) : Reflect.getOwnPropertyDescriptor(target, name),
    ownKeys: (target) => (isWhole(value) ? Reflect.ownKeys(target) : refuse(value, reads)),
  });
}

/** The value as a policy in Rego reads it, which has no forgiving: whatever reads what is not known cannot be told. */
export function regoValue(value: unknown, reads: Reads): unknown {
  if (value instanceof Partial) return new PartialRego(value, reads);
  return isPlain(value) ? mapped(value, (member) => regoValue(member, reads)) : value;
}

class PartialRego extends RegoObject {
  readonly #partial: Partial;
  readonly #reads: Reads;

  constructor(partial: Partial, reads: Reads) {
    super(mapped(partial.known, (member) => regoValue(member, reads)));
    this.#partial = partial;
    this.#reads = reads;
  }

  override get(key: Value): Value | undefined {
    this.#check(key);
    return super.get(key);
  }

  override has(key: Value): boolean {
    this.#check(key);
    return super.has(key);
  }

  override get size(): number {
    this.#checkAll();
    return super.size;
  }

  override keys(): readonly Value[] {
    this.#checkAll();
    return super.keys();
  }

  override copy(): RegoObject {
    this.#checkAll();
    return super.copy();
  }

  #check(key: Value): void {
    if (typeof key === "string" && isUnknownIn(this.#partial, key)) refuse(this.#partial, this.#reads, key);
  }

  #checkAll(): void {
    if (!isWhole(this.#partial)) refuse(this.#partial, this.#reads);
  }
}

function isUnknownIn({ known, unknown }: Partial, name: string): boolean {
  return !Object.hasOwn(known, name) && (unknown === "others" || unknown.includes(name));
}

function isWhole({ unknown }: Partial): boolean {
  return unknown !== "others" && unknown.length === 0;
}

/** @param name absent: all members were asked for */
function refuse({ at }: Partial, reads: Reads, name?: string): never {
  const read =
    name === undefined ? at : /^[A-Za-z_]\w*$/.test(name) ? `${at}.${name}` : `${at}[${JSON.stringify(name)}]`;
  reads.add(read);
  throw new UnknownMember(read);
}

function mapped(
  members: Readonly<Record<string, unknown>>,
  one: (member: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, one(member)]));
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
