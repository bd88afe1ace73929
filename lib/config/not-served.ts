import { type Path, pathText, placesOf, valueAt } from "./path.ts";

const INBOUND = ["authorization", "inbound"] as const;

/** What this version cannot do for an app, by the key that asks for it; `*` is every entry of a list. */
const CANNOT: readonly (readonly [path: Path, what: string])[] = [
  [[...INBOUND, "opa", "rego"], "evaluate Rego by itself"],
  [[...INBOUND, "opa", "file"], "evaluate Rego by itself"],
  [[...INBOUND, "rules", "*", "opa", "rego"], "evaluate Rego by itself"],
  [[...INBOUND, "rules", "*", "opa", "file"], "evaluate Rego by itself"],
];

const POLICY = ["policies", "*"] as const;

/** The same for web apps. A row goes when this version can do what it names. */
const CANNOT_WEB: typeof CANNOT = [
  [[...POLICY, "authorization", "opa", "rego"], "evaluate Rego by itself"],
  [[...POLICY, "authorization", "opa", "file"], "evaluate Rego by itself"],
];

/**
 * Why the tools of an MCP app, or the routes of a web app, of the plain document, filled or not, are not served: it asks for
 * protection or credentials that cannot be given, and without them it must not be reachable (D34). Empty when they are served.
 */
export function reasonsNotServed(app: unknown): readonly string[] {
  const cannot = valueAt(app, ["type"]) === "proxy" ? CANNOT_WEB : CANNOT;
  return cannot.flatMap(([pattern, what]) => {
    const [first] = placesOf(app, pattern).filter((path) => asksFor(valueAt(app, path)));
    return first === undefined ? [] : [`${what} (${pathText(first)})`];
  });
}

const AUTHORIZATION = ["authorization"] as const;

/**
 * Why an `oidc` app of the plain document, filled or not, gets no tokens: it asks for a decision on them that nobody would take.
 * Empty when it gets them, and while a placeholder, null before it is filled, says whether everybody may sign in.
 */
export function reasonsWithoutTokens(app: unknown): readonly string[] {
  const allowAll = valueAt(app, [...AUTHORIZATION, "allowAll"]);
  return [
    ...(allowAll === undefined || allowAll === null || allowAll === true
      ? []
      : ["decide who may sign in (authorization.allowAll)"]),
    ...(asksFor(valueAt(app, [...AUTHORIZATION, "rules"])) ? ["decide who may sign in (authorization.rules)"] : []),
    ...(asksFor(valueAt(app, [...AUTHORIZATION, "tokenMinting"]))
      ? ["decide on tokens by policies (authorization.tokenMinting)"]
      : []),
  ];
}

/** Also what a placeholder stands for, null before it is filled, asks for something; an empty list or mapping does not. */
function asksFor(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined;
}
