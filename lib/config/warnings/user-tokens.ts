import { knownSignIn } from "../oauth-features.ts";
import { valueAt } from "../path.ts";
import { indexesOf, type Problem } from "../rules/rule.ts";

const OUTBOUND = ["authorization", "outbound"] as const;

/** Where people would connect accounts and cannot, and providers that nobody connects accounts at. */
export function userTokenWarnings(document: unknown, publicURL: string | undefined): readonly Problem[] {
  const apps = indexesOf(valueAt(document, ["apps"])).map((index) => ["apps", index] as const);
  const using = apps.filter((path) => valueAt(document, [...path, ...OUTBOUND, "type"]) === "userToken");
  const used = using.map((path) => valueAt(document, [...path, ...OUTBOUND, "userToken", "connector"]));
  return [...unusedWarnings(document, used), ...nobodyWarnings(document, publicURL, using)];
}

function unusedWarnings(document: unknown, used: readonly unknown[]): readonly Problem[] {
  const isUsed = (name: unknown) => name === null || used.includes(null) || used.includes(name);
  return indexesOf(valueAt(document, ["connectors"]))
    .map((index) => ["connectors", index] as const)
    .filter((path) => valueAt(document, [...path, "type"]) === "oauth")
    .filter((path) => !isUsed(valueAt(document, [...path, "name"])))
    .map((path) => ({ path, message: "accepted, without effect: no app names it in outbound.userToken" }));
}

/** Whoever opens the link signs in first, so that nobody connects an account for somebody else. */
function nobodyWarnings(
  document: unknown,
  publicURL: string | undefined,
  using: readonly (readonly [string, number])[],
): readonly Problem[] {
  const { names, isOpen } = knownSignIn(document, publicURL);
  if (names.length > 0 || isOpen) return [];
  const message = "nobody can connect an account: there is no connector to sign in at";
  return using.map((path) => ({ path: [...path, ...OUTBOUND], message }));
}
