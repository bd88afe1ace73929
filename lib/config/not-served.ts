import { type Path, pathText, placesOf, valueAt } from "./path.ts";

const INBOUND = ["authorization", "inbound"] as const;

/** What this version cannot do for an app, by the key that asks for it; `*` is every entry of a list. */
const CANNOT: readonly (readonly [path: Path, what: string])[] = [
  [[...INBOUND, "opa", "rego"], "evaluate Rego by itself"],
  [[...INBOUND, "opa", "file"], "evaluate Rego by itself"],
  [[...INBOUND, "rules", "*", "opa", "rego"], "evaluate Rego by itself"],
  [[...INBOUND, "rules", "*", "opa", "file"], "evaluate Rego by itself"],
];

/**
 * Why the tools of an MCP app of the plain document, filled or not, are not served: it asks for protection or credentials
 * that cannot be given, and without them it must not be reachable (D34). Empty when they are served.
 */
export function reasonsNotServed(app: unknown): readonly string[] {
  return CANNOT.flatMap(([pattern, what]) => {
    const [first] = placesOf(app, pattern).filter((path) => asksFor(valueAt(app, path)));
    return first === undefined ? [] : [`${what} (${pathText(first)})`];
  });
}

/** Also what a placeholder stands for, null before it is filled, asks for something; an empty list or mapping does not. */
function asksFor(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined;
}
