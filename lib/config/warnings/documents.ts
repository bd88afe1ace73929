import type { Catalog, DocumentFlaw } from "../../openapi/catalog.ts";
import { metAlternative } from "../../openapi/security.ts";
import { type Path, valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

/** What a document's owner could mend, and documents of which nothing becomes a tool. */
export function documentFlawWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string" || !Object.hasOwn(catalogs, name)) return [];
    return flawTexts(catalogs[name] as Catalog).map((message) => ({ path: ["apps", index, "openapi"], message }));
  });
}

/** One sentence for each kind of flaw. */
export function flawTexts({ tools, leftOut, flaws = [] }: Catalog): readonly string[] {
  const none = leftOut.length === 0 ? "has no operations under paths" : "has no operation that can be a tool";
  return [...(tools.length === 0 ? [`the OpenAPI document ${none}: there are no tools`] : []), ...flaws.map(flawText)];
}

const EFFECTS: Readonly<Record<DocumentFlaw["lost"], readonly [one: string, many: string, why: string]>> = {
  argument: ["lacks an argument", "lack arguments", "parameters are at places that OpenAPI does not have"],
  "output schema": ["lacks an output schema", "lack output schemas", "responses in the document are invalid"],
};

function flawText({ lost, count, examples }: DocumentFlaw): string {
  const [one, many, why] = EFFECTS[lost];
  const rest = count > examples.length ? [`and ${count - examples.length} more`] : [];
  return `${count === 1 ? `1 tool ${one}` : `${count} tools ${many}`}, because ${why}: ${[...examples, ...rest].join("; ")}`;
}

/** How many operations of one app are named, each with another mistake. */
const NAMED = 3;

/** Operations that are no tools because their part of the OpenAPI document is invalid: its owner can mend it. */
export function invalidOperationWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    const catalog = typeof name === "string" && Object.hasOwn(catalogs, name) ? catalogs[name] : undefined;
    const invalid = catalog?.leftOut.filter(({ reason }) => reason === "invalid operation") ?? [];
    if (catalog === undefined || invalid.length === 0) return [];
    const count = `${invalid.length} of ${catalog.tools.length + catalog.leftOut.length} operations`;
    // What is wrong in several is mended once.
    const mistakes = new Map(invalid.toReversed().map(({ operation, detail }) => [detail, operation]));
    const first = invalid.filter(({ operation, detail }) => mistakes.get(detail) === operation).slice(0, NAMED);
    const named = first.map(({ operation, detail }) => `${operation}: ${detail}`);
    const rest = invalid.length > first.length ? [`… see \`countersign tools\``] : [];
    const message = `${count} of the OpenAPI document are no tools, because they are invalid: ${[...named, ...rest].join("; ")}`;
    return [{ path: ["apps", index, "openapi"], message }];
  });
}

/**
 * Tools whose API asks for a credential that nothing configured gives: they can be called, and are likely refused there. A
 * kind of outbound credential that is not known yet may be the one.
 */
export function unmetSecurityWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string" || !Object.hasOwn(catalogs, name)) return [];
    const message = unmetSecurity(app, catalogs[name] as Catalog);
    return message === undefined ? [] : [{ path: ["apps", index, "upstream"], message }];
  });
}

function unmetSecurity(app: unknown, { tools, securitySchemes, security = [] }: Catalog): string | undefined {
  const type = valueAt(app, ["authorization", "outbound", "type"]);
  const given = {
    schemes: new Set(keysAt(app, ["upstream", "auth"])),
    headers: new Set(keysAt(app, ["upstream", "headers"]).map((name) => name.toLowerCase())),
    isExchanged: type === null || isToken(type),
  };
  const unmet = security.filter(
    ({ alternatives }) => metAlternative(alternatives, securitySchemes, given) === undefined,
  );
  const [first] = unmet;
  if (first === undefined) return undefined;
  const count = unmet.reduce((sum, requirement) => sum + requirement.count, 0);
  const of = `${count} of ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const asked = first.alternatives.map((names) => names.join(" with ")).join(" or ");
  return `${of} need credentials that nothing here gives, for example ${first.example} (${asked}); accepted: upstream.auth`;
}

function keysAt(app: unknown, path: Path): readonly string[] {
  const value = valueAt(app, path);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** Operations whose document sends their calls, and what these carry, to servers of their own. */
export function otherServerWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string" || !Object.hasOwn(catalogs, name) || !carriesSomething(app)) return [];
    return elsewhere(app, catalogs[name] as Catalog).map(({ origin, count, example }) => {
      const calls = count === 1 ? `calls of ${example} go` : `calls of ${count} tools, for example ${example}, go`;
      const message = `${calls} to ${origin} with the credentials of this app, because the document says so; openapi.baseURL keeps all calls at one place`;
      return { path: ["apps", index, "openapi"], message };
    });
  });
}

/** Servers with another path of the same origin are the same API. */
function elsewhere(app: unknown, { otherServers = [] }: Catalog): NonNullable<Catalog["otherServers"]> {
  const baseURL = valueAt(app, ["openapi", "baseURL"]);
  const own = typeof baseURL === "string" && URL.canParse(baseURL) ? new URL(baseURL).origin : undefined;
  return otherServers.filter(({ origin }) => origin !== own);
}

function carriesSomething(app: unknown): boolean {
  return (
    isToken(valueAt(app, ["authorization", "outbound", "type"])) ||
    valueAt(app, ["upstream", "auth"]) !== undefined ||
    valueAt(app, ["upstream", "headers"]) !== undefined
  );
}

/** Whether calls carry a token, with this kind of `outbound`. */
function isToken(type: unknown): boolean {
  return type === "tokenExchange" || type === "userToken";
}
