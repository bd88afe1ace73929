import { nearest } from "../../kernel/suggestions.ts";
import type { Path } from "../path.ts";
import { indexesOf, type RuleContext } from "./rule.ts";

/** Stands for this instance's own provider where the name of a connector is wanted (D54). */
export const OWN_PROVIDER = "oidcProvider";

/** How many names a message lists. */
const LONGEST_LIST = 10;

/** How many names a mistyped one is compared with: a document can hold thousands of each. */
const MOST_COMPARED = 100;

/** What names are defined, and how a message calls one of them. */
export interface KnownNames {
  readonly what: string;
  /** Undefined while one of them is a placeholder. */
  readonly names: readonly string[] | undefined;
  /** Those that a message may show: what a placeholder brought is never told. */
  readonly told: readonly string[];
  /** Names of something that is not meant, and how a message says so. */
  readonly unfit?: { readonly names: readonly unknown[]; readonly why: string };
}

export function tlsNames({ at }: RuleContext): KnownNames {
  const entries = at("tls");
  const names = typeof entries === "object" && entries !== null ? Object.keys(entries) : [];
  return { what: "an entry of tls", names: entries === null ? undefined : names, told: names };
}

/** Connectors that people sign in at. */
export function connectorNames(context: RuleContext): KnownNames {
  return namesOfConnectors(context, {
    what: "a connector",
    fits: (type) => type !== OAUTH,
    why: "is a connector of type oauth: nobody signs in there; accepted: one of type oidc",
  });
}

/** Connectors that people connect accounts at. */
export function oauthConnectorNames(context: RuleContext): KnownNames {
  return namesOfConnectors(context, {
    what: "a connector of type oauth",
    fits: (type) => type === OAUTH,
    why: "is a connector that people sign in at; accepted: one of type oauth",
  });
}

const OAUTH = "oauth";

function namesOfConnectors(
  { at, shown }: RuleContext,
  { what, fits, why }: { readonly what: string; readonly fits: (type: unknown) => boolean; readonly why: string },
): KnownNames {
  const paths = indexesOf(at("connectors")).map((index) => ["connectors", index] as const);
  const isOpen = paths.some((path) => at(...path, "type") === null || at(...path, "name") === null);
  const [known, others] = [true, false].map((isFit) => paths.filter((path) => fits(at(...path, "type")) === isFit));
  const namesAt = (places: readonly Path[] = []) =>
    places.map((path) => [...path, "name"]).filter((path) => typeof at(...path) === "string");
  const told = namesAt(known).filter((path) => shown(...path) === JSON.stringify(at(...path)));
  return {
    what,
    names: isOpen ? undefined : namesAt(known).map((path) => String(at(...path))),
    told: told.map((path) => String(at(...path))),
    unfit: { names: namesAt(others).map((path) => at(...path)), why },
  };
}

/** Where people can sign in and who can issue tokens: connectors, and this instance. */
export function issuerNames(context: RuleContext): KnownNames {
  const connectors = connectorNames(context);
  if (context.at("oidcProvider") === undefined) return connectors;
  const { names, told } = connectors;
  return { ...connectors, names: names && [...names, OWN_PROVIDER], told: [...told, OWN_PROVIDER] };
}

/** Reports a text that names nothing which is defined. */
export function reportUnknownName({ at, report, shown }: RuleContext, path: Path, known: KnownNames): void {
  const { what, names, told, unfit } = known;
  const name = at(...path);
  if (typeof name !== "string" || names === undefined || names.includes(name)) return;
  if (unfit?.names.includes(name)) {
    report(path, `found ${shown(...path)}, which ${unfit.why}`);
    return;
  }
  const rest = names.length === 0 ? "there is none in this document" : hint(name, told);
  report(path, `found ${shown(...path)}, which is not the name of ${what}; ${rest}`);
}

function hint(name: string, names: readonly string[]): string {
  const suggestion = names.length > MOST_COMPARED ? undefined : nearest(name, names);
  if (suggestion !== undefined) return `did you mean "${suggestion}"?`;
  if (names.length === 0) return "accepted: one that this document has";
  const more = names.length > LONGEST_LIST ? `, and ${names.length - LONGEST_LIST} more` : "";
  return `accepted: ${names.slice(0, LONGEST_LIST).join(", ")}${more}`;
}
