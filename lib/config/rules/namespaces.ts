import { reasonsNotServed } from "../not-served.ts";
import { type Path, pathText } from "../path.ts";
import type { RuleContext } from "./rule.ts";

/**
 * No two apps of an organization put the same text in front of names: the name that agents see says whose a tool is (D128,
 * D141). Organizations are compared as they are written. A disabled namespace is none, and many apps may have it disabled.
 */
export function namespaceRules(context: RuleContext, apps: readonly Path[]): void {
  const seen = new Map<string, Path>();
  for (const app of apps) {
    const namespace = namespaceOf(context, app);
    const organization = context.at(...app, "organization");
    if (namespace === undefined || organization === null) continue;
    const key = JSON.stringify([organization ?? null, namespace]);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, app);
    else reportSecond(context, app, first);
  }
}

function reportSecond({ at, report, shown }: RuleContext, app: Path, first: Path): void {
  // Of two apps with one name that is the mistake.
  if (at(...app, "name") === at(...first, "name")) return;
  const path = [...app, "toolNamespace", "name"];
  const [found, whose] =
    at(...path) === undefined
      ? ["required:", `the default is the namespace of ${pathText(first)}`]
      : [`found ${shown(...path)},`, `which is the namespace of ${pathText(first)}`];
  report(path, `${found} ${whose} already; accepted: text that is in front of no other app's tools`);
}

/** Undefined where the app has none, where it is not known, and where its names are left to others. */
function namespaceOf({ at }: RuleContext, app: Path): string | undefined {
  const isMcp = ["mcpBridge", "mcpProxy"].some((type) => type === at(...app, "type"));
  const isDisabled = at(...app, "toolNamespace", "disabled");
  if (!isMcp || isDisabled === true || isDisabled === null || reasonsNotServed(at(...app)).length > 0) return undefined;
  const [written, name] = [at(...app, "toolNamespace", "name"), at(...app, "name")];
  if (written !== undefined) return typeof written === "string" ? written : undefined;
  return typeof name === "string" ? `${name}_` : undefined;
}
