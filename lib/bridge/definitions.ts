import type { JsonSchema } from "./catalog.ts";

/** The names of the definitions that a schema leads to, those that they lead to included. */
export function namesReachable(schema: unknown, definition: (name: string) => unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const open: unknown[] = [schema];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const name = definitionName((node as JsonSchema).$ref);
    const target = name === undefined || found.has(name) ? undefined : definition(name);
    if (name !== undefined && target !== undefined) {
      found.add(name);
      open.push(target);
    }
    open.push(...Object.values(node).filter((value) => typeof value === "object" && value !== null));
  }
  return found;
}

/** The name in a reference to a definition of the same schema; undefined for anything else. */
export function definitionName(reference: unknown): string | undefined {
  return typeof reference === "string" && reference.startsWith(PREFIX) ? reference.slice(PREFIX.length) : undefined;
}

const PREFIX = "#/$defs/";
