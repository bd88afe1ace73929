import type { JsonObject } from "../../kernel/json.ts";
import { below } from "./document-error.ts";

/** A schema with an identifier of its own, or a document that names itself (`$self`): where its `#` leads. */
export interface Resource {
  /** As written. */
  readonly id: string;
  /** JSON Pointer inside of the document. */
  readonly pointer: string;
  readonly outer: Resource | undefined;
}

/** An object with a reference. */
export interface ReferenceSite {
  readonly holder: Record<string, unknown>;
  readonly keyword: "$ref" | "$dynamicRef";
  readonly resource: Resource | undefined;
}

export interface Anchor {
  readonly name: string;
  readonly pointer: string;
  readonly resource: Resource | undefined;
  readonly dynamic: boolean;
}

export interface ReferenceSites {
  readonly references: readonly ReferenceSite[];
  readonly resources: readonly Resource[];
  readonly anchors: readonly Anchor[];
}

/** Keywords whose value is data: a `$ref` in there is none. */
const DATA = new Set(["example", "examples", "default", "enum", "const"]);
/** Members whose own members have names that the document chooses. */
const NAMED = new Set(
  (
    "properties patternProperties $defs definitions dependentSchemas schemas parameters responses requestBodies headers " +
    "securitySchemes pathItems callbacks links content paths webhooks mediaTypes additionalOperations"
  ).split(" "),
);

/**
 * Finds what refers and what can be referred to in one document. `identified` says whether schemas in it have `$id` and
 * anchors (OpenAPI 3.1 and later). An object that stands in several places, as YAML aliases make them, is found once.
 */
export function findReferenceSites(content: unknown, identified: boolean): ReferenceSites {
  const references: ReferenceSite[] = [];
  const resources: Resource[] = [];
  const anchors: Anchor[] = [];
  const seen = new Set<object>();
  const path: string[] = [];
  const here = () => below("", ...path);

  function visit(node: unknown, isNames: boolean, outer: Resource | undefined): void {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    if (!Array.isArray(node)) visitObject(node as Record<string, unknown>, isNames, outer);
    else for (const [index, item] of node.entries()) step(String(index), item, false, outer);
  }

  function visitObject(node: Record<string, unknown>, isNames: boolean, outer: Resource | undefined): void {
    const resource = identified && !isNames ? identify(node, outer) : outer;
    if (typeof node.$ref === "string") references.push({ holder: node, keyword: "$ref", resource });
    if (identified && !isNames && typeof node.$dynamicRef === "string") {
      references.push({ holder: node, keyword: "$dynamicRef", resource });
    }
    for (const [name, value] of Object.entries(node)) {
      if (isNames || !DATA.has(name)) step(name, value, !isNames && NAMED.has(name), resource);
    }
  }

  function identify(node: JsonObject, outer: Resource | undefined): Resource | undefined {
    const id = path.length === 0 ? (node.$self ?? node.$id) : node.$id;
    const resource = typeof id === "string" && id !== "" ? { id, pointer: here(), outer } : outer;
    if (resource !== undefined && resource !== outer) resources.push(resource);
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = node[keyword];
      if (typeof name !== "string") continue;
      anchors.push({ name, pointer: here(), resource, dynamic: keyword === "$dynamicAnchor" });
    }
    return resource;
  }

  function step(name: string, value: unknown, isNames: boolean, outer: Resource | undefined): void {
    path.push(name);
    visit(value, isNames, outer);
    path.pop();
  }

  visit(content, false, undefined);
  return { references, resources, anchors };
}
