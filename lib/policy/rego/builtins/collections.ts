import { spend } from "../budget.ts";
import { equal, isArray, RegoObject, RegoSet, typeName, type Value } from "../value.ts";
import {
  arrayAt,
  type Builtin,
  type Builtins,
  elementsAt,
  integerAt,
  objectAt,
  operandError,
  setAt,
  typeError,
} from "./operands.ts";

/** Arrays, sets, objects and types (OPA, "Arrays", "Sets", "Object", "Types"). */
export const COLLECTIONS: Builtins = {
  "array.concat": (values) => listed([...arrayAt(values, 0), ...arrayAt(values, 1)]),
  "array.flatten": (values) => listed(arrayAt(values, 0).flatMap((value) => (isArray(value) ? value : [value]))),
  "array.reverse": (values) => listed(arrayAt(values, 0).toReversed()),
  "array.slice": (values) => {
    const array = arrayAt(values, 0);
    const stop = Math.min(Math.max(integerAt(values, 2), 0), array.length);
    return listed(array.slice(Math.min(Math.max(integerAt(values, 1), 0), stop), stop));
  },
  and: (values) => intersected(setAt(values, 0), setAt(values, 1)),
  or: (values) => new RegoSet([...setAt(values, 0).values(), ...setAt(values, 1).values()]),
  intersection: (values) => {
    const sets = setsOf(setAt(values, 0));
    return sets.length === 0 ? new RegoSet() : sets.reduce(intersected);
  },
  union: (values) => new RegoSet(setsOf(setAt(values, 0)).flatMap((set) => set.values())),
  "internal.member_2": ([value, collection]) => isMember(value as Value, collection as Value),
  "internal.member_3": ([key, value, collection]) => equal(memberOf(collection as Value, key as Value), value),
  "object.get": (values) => {
    const [object, path, fallback] = [objectAt(values, 0), values[1] as Value, values[2] as Value];
    if (!isArray(path)) return object.has(path) ? object.get(path) : fallback;
    let at: Value | undefined = object;
    for (const name of path) {
      at = memberOf(at, name);
      if (at === undefined) return fallback;
    }
    return at;
  },
  "object.keys": (values) => new RegoSet(objectAt(values, 0).keys()),
  "object.remove": (values) => {
    const [object, removed] = [objectAt(values, 0), namesOf(values, 1)];
    return made(object.entries().filter(([key]) => !removed.has(key)));
  },
  "object.filter": (values) => {
    const [object, kept] = [objectAt(values, 0), namesOf(values, 1)];
    return made(object.entries().filter(([key]) => kept.has(key)));
  },
  "object.union": (values) => merged(objectAt(values, 0), objectAt(values, 1)),
  "object.union_n": (values) =>
    arrayAt(values, 0).reduce<RegoObject>((result, value) => {
      if (!(value instanceof RegoObject))
        throw operandError(`operand 1 must have objects only but has ${typeName(value)}`);
      return merged(result, value);
    }, new RegoObject()),
  "object.subset": ([whole, part]) => {
    if (isArray(whole) && part instanceof RegoSet)
      return part.size > 0 && part.values().every((value) => isMember(value, whole));
    const answer = hasPart(whole as Value, part as Value);
    if (answer === undefined)
      throw operandError("both arguments object.subset must be of the same type or array and set");
    return answer;
  },
  "graph.reachable": (values) => reachable(objectAt(values, 0), elementsAt(values, 1)),
  "graph.reachable_paths": (values) => reachablePaths(objectAt(values, 0), elementsAt(values, 1)),
  walk: ([value]) => {
    const found: Value[] = [];
    walk(value as Value, [], found);
    return found;
  },
  is_array: is("array"),
  is_boolean: is("boolean"),
  is_null: is("null"),
  is_number: is("number"),
  is_object: is("object"),
  is_set: is("set"),
  is_string: is("string"),
  type_name: ([value]) => typeName(value as Value),
  set_diff: (values) => {
    const other = setAt(values, 1);
    return new RegoSet(
      setAt(values, 0)
        .values()
        .filter((value) => !other.has(value)),
    );
  },
  cast_array: (values) => elementsAt(values, 0),
  cast_set: (values) => new RegoSet(elementsAt(values, 0)),
  cast_string: casts("string"),
  cast_boolean: casts("boolean"),
  cast_null: casts("null"),
  cast_object: casts("object"),
};

function is(type: string): Builtin {
  return ([value]) => typeName(value as Value) === type;
}

function casts(type: string): Builtin {
  return (values) => {
    if (typeName(values[0] as Value) !== type) throw typeError(values, 0, type);
    return values[0];
  };
}

function listed(values: readonly Value[]): readonly Value[] {
  spend(values.length);
  return values;
}

export function made(entries: Iterable<readonly [Value, Value]>): RegoObject {
  const object = new RegoObject();
  for (const [key, value] of entries) object.set(key, value);
  return object;
}

export function intersected(one: RegoSet, other: RegoSet): RegoSet {
  return new RegoSet(one.values().filter((value) => other.has(value)));
}

function setsOf(set: RegoSet): readonly RegoSet[] {
  return set.values().map((value) => {
    if (value instanceof RegoSet) return value;
    throw operandError(`operand 1 must be set of sets but has ${typeName(value)}`);
  });
}

function isMember(value: Value, collection: Value): boolean {
  if (collection instanceof RegoSet) return collection.has(value);
  if (isArray(collection)) {
    spend(collection.length / 4);
    return collection.some((entry) => equal(entry, value));
  }
  return collection instanceof RegoObject && collection.entries().some(([, entry]) => equal(entry, value));
}

export function memberOf(collection: Value | undefined, key: Value): Value | undefined {
  if (collection instanceof RegoObject) return collection.get(key);
  if (isArray(collection)) return typeof key === "number" ? collection[key] : undefined;
  return collection instanceof RegoSet && collection.has(key) ? key : undefined;
}

function namesOf(values: readonly Value[], position: number): RegoSet {
  const value = values[position];
  if (value instanceof RegoSet) return value;
  if (isArray(value)) return new RegoSet(value);
  if (value instanceof RegoObject) return new RegoSet(value.keys());
  throw typeError(values, position, "object", "set", "array");
}

/** What the second has stands, but objects in both are merged. */
function merged(one: RegoObject, other: RegoObject): RegoObject {
  const result = one.copy();
  for (const [key, value] of other.entries()) {
    const before = result.get(key);
    result.set(key, before instanceof RegoObject && value instanceof RegoObject ? merged(before, value) : value);
  }
  return result;
}

/** Undefined: they are not of one type that has parts. */
function hasPart(whole: Value, part: Value): boolean | undefined {
  if (whole instanceof RegoObject && part instanceof RegoObject) {
    return part.entries().every(([key, value]) => {
      const own = whole.get(key);
      return own !== undefined && (equal(own, value) || (hasPart(own, value) ?? false));
    });
  }
  if (whole instanceof RegoSet && part instanceof RegoSet) return part.values().every((value) => whole.has(value));
  if (!isArray(whole) || !isArray(part)) return undefined;
  for (let start = 0; start + part.length <= whole.length; start += 1) {
    spend(1);
    if (part.every((value, index) => equal(whole[start + index], value))) return true;
  }
  return false;
}

function neighbours(edges: Value): readonly Value[] {
  if (isArray(edges)) return edges;
  return edges instanceof RegoSet ? edges.values() : [];
}

function reachable(graph: RegoObject, from: readonly Value[]): RegoSet {
  const reached = new RegoSet();
  const queue = [...from];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    spend(1);
    const edges = graph.get(node);
    if (edges === undefined || reached.has(node)) continue;
    reached.add(node);
    for (const next of neighbours(edges)) {
      spend(1);
      queue.push(next);
    }
  }
  return reached;
}

function reachablePaths(graph: RegoObject, from: readonly Value[]): RegoSet {
  const paths = new RegoSet();
  const follow = (node: Value, path: readonly Value[], seen: RegoSet): void => {
    spend(1 + path.length);
    const edges = graph.get(node);
    if (edges === undefined) {
      paths.add(path);
      return;
    }
    const further = [...path, node];
    const following = neighbours(edges);
    if (following.length === 0) paths.add(further);
    const known = new RegoSet([...seen.values(), node]);
    for (const next of following) {
      if (known.has(next)) paths.add(further);
      else follow(next, further, known);
    }
  };
  for (const node of from) {
    const edges = graph.get(node);
    if (edges === undefined) continue;
    const following = neighbours(edges);
    if (following.length === 0) paths.add([node]);
    for (const next of following) follow(next, [node], new RegoSet([node]));
  }
  return paths;
}

function walk(value: Value, path: readonly Value[], found: Value[]): void {
  spend(2 + path.length / 4);
  found.push([path, value]);
  if (isArray(value)) for (const [index, entry] of value.entries()) walk(entry, [...path, index], found);
  else if (value instanceof RegoSet) for (const entry of value.values()) walk(entry, [...path, entry], found);
  else if (value instanceof RegoObject) for (const [key, entry] of value.entries()) walk(entry, [...path, key], found);
}
