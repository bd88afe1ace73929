/** What the configuration says of the results of a tool. */
export interface ResultRule {
  /** JSON Pointers (RFC 6901) of what no agent gets; `*` stands for each item of a list and each member of an object. */
  readonly remove?: readonly string[];
  readonly mask?: readonly MaskRule[];
}

/** What becomes of texts that a pattern is found in. */
export interface MaskRule {
  /** A pattern of RE2's syntax. */
  readonly match: string;
  /** What stands in place of each match. */
  readonly with: string;
}

/** Each item, or each member. */
export const EACH = "*";

/** The segments of a JSON Pointer that names something inside of a value; undefined for a text that is none. */
export function pointerSegments(pointer: string): readonly string[] | undefined {
  if (!/^(?:\/(?:[^~/]|~[01])*)+$/u.test(pointer) || pointer === "/") return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is taken away at a place of a value, and below it. */
export interface Removal {
  readonly isRemoved: boolean;
  readonly members: ReadonlyMap<string, Removal>;
  readonly each?: Removal;
}

/** All pointers together. */
export function removalOf(pointers: readonly (readonly string[])[]): Removal {
  const isRemoved = pointers.some(({ length }) => length === 0);
  const groups = Map.groupBy(isRemoved ? [] : pointers, ([first = ""]) => first);
  const below = [...groups].map(([name, all]) => [name, removalOf(all.map((one) => one.slice(1)))] as const);
  const each = below.find(([name]) => name === EACH)?.[1];
  return {
    isRemoved,
    members: new Map(below.filter(([name]) => name !== EACH)),
    ...(each !== undefined && { each }),
  };
}

/** What is taken away of a member; undefined: nothing. */
export function removalIn({ members, each }: Removal, name: string): Removal | undefined {
  const own = members.get(name);
  if (own === undefined || each === undefined) return own ?? each;
  const others = both.get(own) ?? new WeakMap<Removal, Removal>();
  both.set(own, others);
  const known = others.get(each) ?? joined(own, each);
  others.set(each, known);
  return known;
}

/** Of two the same one each time: definitions are made once for each. */
const both = new WeakMap<Removal, WeakMap<Removal, Removal>>();

function joined(one: Removal, other: Removal): Removal {
  const names = new Set([...one.members.keys(), ...other.members.keys()]);
  const each =
    one.each !== undefined && other.each !== undefined ? joined(one.each, other.each) : (one.each ?? other.each);
  return {
    isRemoved: one.isRemoved || other.isRemoved,
    members: new Map(
      [...names].map((name) => {
        const [mine, its] = [one.members.get(name), other.members.get(name)];
        return [name, mine !== undefined && its !== undefined ? joined(mine, its) : ((mine ?? its) as Removal)];
      }),
    ),
    ...(each !== undefined && { each }),
  };
}

/** What rules cannot be applied to: nothing of the answer may be shown. */
export class WithheldError extends Error {
  /** One word, for the record. */
  readonly why: WithheldReason;
  constructor(why: WithheldReason) {
    super(`The result is withheld: ${why}.`);
    this.name = "WithheldError";
    this.why = why;
  }
}

export type WithheldReason = "too_large" | "not_json" | "list" | "too_costly" | "malformed" | "error";

/**
 * The value without what is taken away.
 *
 * @throws WithheldError `list` where a pointer names something of an object and there is a list: it may mean its items
 */
export function without(value: unknown, removal: Removal): unknown {
  if (Array.isArray(value)) {
    const { each } = removal;
    if (each === undefined) {
      if (removal.members.size > 0) throw new WithheldError("list");
      return value;
    }
    return each.isRemoved ? [] : value.map((item) => without(item, each));
  }
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const below = removalIn(removal, name);
      if (below === undefined) return [[name, member]];
      return below.isRemoved ? [] : [[name, without(member, below)]];
    }),
  );
}

/**
 * The value without members of the names that pointers end with, wherever they stand: for text that says what the structured
 * content says in another shape.
 */
export function withoutAnywhere(value: unknown, pointers: readonly (readonly string[])[]): unknown {
  const [nameless, named] = [pointers.filter(isNameless), pointers.filter((pointer) => !isNameless(pointer))];
  const ends = removalOf(named.map(endOf));
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(visit);
    if (!isMembers(one)) return one;
    const rest = without(one, ends) as object;
    return Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, visit(member)]));
  };
  return visit(without(value, removalOf(nameless)));
}

/** From the last name on. */
function endOf(pointer: readonly string[]): readonly string[] {
  return pointer.slice(pointer.findLastIndex((segment) => segment !== EACH));
}

function isNameless(pointer: readonly string[]): boolean {
  return pointer.every((segment) => segment === EACH);
}

/** Numbers that stay as they were written are objects as well (`upstream/wire/exact-json.ts`). */
function isMembers(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isWrittenNumber(value);
}

/** A number as it was written, which no double holds (ECMAScript 2026, `JSON.rawJSON`). */
export function isWrittenNumber(value: unknown): boolean {
  return (JSON as unknown as { readonly isRawJSON: (value: unknown) => boolean }).isRawJSON(value);
}
