import { isJsonObject } from "../../kernel/json.ts";
import type { DeclaredName, DeclaredNames, JsonSchema, OperationRequest, SecurityScheme } from "../catalog.ts";
import { definitionName } from "../catalog-texts.ts";

type Schemes = Readonly<Record<string, SecurityScheme>>;
type Written = Pick<OperationRequest, "path" | "parameters" | "body">;

/**
 * The names that a document gives what a request carries: those of its parameters, of the members of its body, of what stands
 * in the query of its path, and of its API keys; and the members that the schema of each argument names.
 */
export function declaredNames(request: Written, schema: JsonSchema, schemes: Schemes): DeclaredNames {
  const { parameters, body, path } = request;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const walk = createWalk(schema);
  const inBody = Object.keys(properties).filter((name) => !parameters.some(({ argument }) => argument === name));
  const isForm = body?.kind === "form" || body?.kind === "multipart";
  const read = [...parameters.map(({ argument }) => argument), ...(isForm ? inBody : [])];
  const members = read.map((argument) => [argument, [...walk(properties[argument], true)]] as const);
  return {
    names: [
      ...parameters.flatMap(({ in: place, name }) => (place === "querystring" ? [] : [{ place, name }])),
      ...bodyNames(),
      ...[...new URLSearchParams(path.split("?")[1] ?? "").keys()].map((name) => ({ place: "query" as const, name })),
      ...Object.values(schemes).flatMap((scheme) =>
        scheme.kind === "apiKey" ? [{ place: scheme.in, name: scheme.name }] : [],
      ),
    ],
    members: Object.fromEntries(members.filter(([, names]) => names.length > 0)),
    schema,
  };

  function bodyNames(): readonly DeclaredName[] {
    if (body === undefined) return [];
    const { argument, names = {} } = body;
    const wire = argument === undefined ? inBody : [...walk(properties[argument], false)];
    return wire.map((name) => ({ place: "body", name: Object.hasOwn(names, name) ? (names[name] as string) : name }));
  }
}

/** Keywords whose schemas are about the value itself. */
const SAME_VALUE = new Set(["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"]);

/** Collects the names that a schema declares: of the value alone, or of all that is inside of it. */
function createWalk(root: JsonSchema): (schema: unknown, isDeep: boolean) => ReadonlySet<string> {
  const $defs = isJsonObject(root.$defs) ? root.$defs : {};
  return (schema, isDeep) => {
    const names = new Set<string>();
    const seen = new Set<unknown>();
    const open: unknown[] = [schema];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (typeof node !== "object" || node === null || seen.has(node)) continue;
      seen.add(node);
      if (Array.isArray(node)) {
        open.push(...node);
        continue;
      }
      const target = definitionName((node as JsonSchema).$ref);
      if (target !== undefined && Object.hasOwn($defs, target)) open.push($defs[target]);
      for (const [keyword, value] of Object.entries(node)) {
        if (keyword === "properties" && isJsonObject(value)) {
          for (const name of Object.keys(value)) names.add(name);
          if (isDeep) open.push(...Object.values(value));
        } else if (SAME_VALUE.has(keyword) || isDeep) {
          open.push(keyword === "dependentSchemas" && isJsonObject(value) ? Object.values(value) : value);
        }
      }
    }
    return names;
  };
}
