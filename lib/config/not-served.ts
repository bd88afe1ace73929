import { valueAt } from "./path.ts";

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
