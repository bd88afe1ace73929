import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { JsonSchema } from "../catalog.ts";
import { definitionName } from "../catalog-texts.ts";
import { RequestError } from "../request-error.ts";
import { folded, readAs } from "./written-names.ts";

/**
 * Refuses members that the schema of their object does not declare and that can be read as one that it does: JSON has names that
 * differ by case alone, and many readers of JSON do not tell them apart (Go, .NET). Throws a `RequestError`.
 */
export function checkSpellings(given: JsonObject, schema: JsonSchema): void {
  const $defs = isJsonObject(schema.$defs) ? schema.$defs : {};
  /** What of a list of schemas applies to the value itself. */
  const known = new Map<readonly unknown[], Level>();

  visit(given, [schema], []);

  function visit(value: unknown, schemas: readonly unknown[], path: readonly string[]): void {
    if (typeof value !== "object" || value === null || schemas.length === 0) return;
    const level = levelOf(schemas);
    if (Array.isArray(value)) {
      for (const entry of value) visit(entry, level.items, path);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      const declared = level.members(name);
      if (declared === undefined) refuse(name, level, path);
      visit(member, declared ?? level.others, [...path, name]);
    }
  }

  function refuse(name: string, { names }: Level, path: readonly string[]): void {
    const meant = names().get(folded(name));
    if (meant !== undefined) throw new RequestError(path.join("."), `must not have ${readAs(name, meant)}`);
  }

  function levelOf(schemas: readonly unknown[]): Level {
    const level = known.get(schemas) ?? createLevel(parts(schemas, $defs));
    known.set(schemas, level);
    return level;
  }
}

/** What schemas say of the members and entries of one value. */
interface Level {
  /** The schemas of a member; undefined: it is not declared. The same list each time. */
  readonly members: (name: string) => readonly unknown[] | undefined;
  /** Those of members that are not declared, whatever pattern their names have. */
  readonly others: readonly unknown[];
  readonly items: readonly unknown[];
  /** Declared names by how they are read. */
  readonly names: () => ReadonlyMap<string, string>;
}

function createLevel(all: readonly JsonObject[]): Level {
  const properties = all.map((part) => part.properties).filter(isJsonObject);
  const found = new Map<string, readonly unknown[] | undefined>();
  let names: ReadonlyMap<string, string> | undefined;
  return {
    members: (name) => {
      if (!found.has(name)) {
        const schemas = properties.flatMap((one) => (Object.hasOwn(one, name) ? [one[name]] : []));
        found.set(name, schemas.length === 0 ? undefined : schemas);
      }
      return found.get(name);
    },
    others: all.flatMap(({ additionalProperties, unevaluatedProperties, patternProperties }) =>
      [additionalProperties, unevaluatedProperties, ...valuesOf(patternProperties)].filter(isJsonObject),
    ),
    items: all.flatMap(({ items, prefixItems, contains, unevaluatedItems }) => [
      ...[items, contains, unevaluatedItems],
      ...(Array.isArray(prefixItems) ? prefixItems : []),
    ]),
    names: () => {
      names ??= new Map(properties.flatMap((one) => Object.keys(one).map((name) => [folded(name), name] as const)));
      return names;
    },
  };
}

/** The schemas themselves, those that they refer to, and all alternatives. */
function parts(schemas: readonly unknown[], $defs: JsonObject): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const open = [...schemas];
  while (open.length > 0) {
    const part = open.pop();
    if (!isJsonObject(part) || found.has(part)) continue;
    found.add(part);
    const name = definitionName(part.$ref);
    if (name !== undefined && Object.hasOwn($defs, name)) open.push($defs[name]);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) if (Array.isArray(part[keyword])) open.push(...part[keyword]);
    open.push(part.if, part.then, part.else, ...valuesOf(part.dependentSchemas));
  }
  return [...found];
}

function valuesOf(value: unknown): readonly unknown[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
