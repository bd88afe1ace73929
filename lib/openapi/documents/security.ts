import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { SecurityRequirement, SecurityScheme } from "../catalog.ts";
import type { UnwrittenTool } from "../catalog-texts.ts";
import { isFramingHeader } from "../framing-headers.ts";
import { below, DocumentError } from "./document-error.ts";
import type { Operation, Parameter } from "./operations.ts";
import { member, text } from "./plain.ts";
import { resolve } from "./reference.ts";

/** What the configuration puts into calls, so that agents are not asked for it. */
export interface Provided {
  /** Names of security schemes with a credential. */
  readonly schemes: readonly string[];
  /** Headers with a value. */
  readonly headers: readonly string[];
}

type Alternatives = readonly (readonly string[])[];

/** Reads the security of one document. */
export interface SecurityReader {
  readonly defined: ReadonlyMap<string, DefinedScheme>;
  /** The operation without the parameters that the configuration fills. */
  readonly withoutProvided: (operation: Operation) => Operation;
  /** What the whole operation asks for (`OperationRequest.security`). */
  readonly alternativesOf: (operation: Operation) => Alternatives | undefined;
}

export function createSecurityReader(document: JsonObject, { schemes, headers }: Provided): SecurityReader {
  const defined = definedSchemes(document);
  const configured = schemes.filter((name) => carriable(defined.get(name)) !== undefined);
  const filled = new Set(headers.map((name) => `header ${name.toLowerCase()}`));
  const placeOfName = (name: string) => placeOfScheme(defined.get(name));
  const byPlace = new Map(configured.toReversed().map((name) => [placeOfName(name), name]));
  const declaredSchemes = ({ parameters }: Operation) =>
    parameters.flatMap((parameter) => byPlace.get(placeOf(parameter)) ?? []);
  // Documents that define schemes and forget to ask for one: whoever configures a credential wants it to be sent.
  const otherwise = configured.length === 0 ? undefined : [...configured.map((name) => [name]), []];

  return {
    defined,
    withoutProvided: (operation) => {
      const parameters = operation.parameters.filter((parameter) => {
        const place = placeOf(parameter);
        return !filled.has(place) && !byPlace.has(place);
      });
      return { ...operation, parameters };
    },
    alternativesOf: (operation) => {
      const own = operation.definition.security ?? document.security;
      const asked = Array.isArray(own) ? withoutMutualTls(own, defined) : otherwise;
      const declared = declaredSchemes(operation);
      const alternatives = declared.length === 0 ? asked : withDeclared(asked, declared, placeOfName);
      return alternatives?.some((names) => names.length > 0) ? alternatives : undefined;
    },
  };
}

/** Those of the schemes that the tools ask for and calls can carry. */
export function askedSchemes(
  requirements: readonly SecurityRequirement[],
  defined: SecurityReader["defined"],
): Readonly<Record<string, SecurityScheme>> {
  const names = new Set(requirements.flatMap(({ alternatives }) => alternatives.flat()));
  const asked = [...names].flatMap((name) => {
    const scheme = carriable(defined.get(name));
    return scheme === undefined ? [] : [[name, scheme] as const];
  });
  return Object.fromEntries(asked);
}

/** What the tools ask for, each requirement once. */
export function requirementsOf(tools: readonly UnwrittenTool[]): readonly SecurityRequirement[] {
  const requirements = new Map<string, { alternatives: Alternatives; count: number; example: string }>();
  for (const { name, details } of tools) {
    const { request } = details;
    if (request.security === undefined) continue;
    const key = JSON.stringify(request.security);
    const known = requirements.get(key);
    if (known !== undefined) known.count++;
    else requirements.set(key, { alternatives: request.security, count: 1, example: name });
  }
  return [...requirements.values()];
}

/** The certificate is the connection's (`upstream.tls`), and no call carries it. */
function withoutMutualTls(security: readonly unknown[], defined: SecurityReader["defined"]): Alternatives {
  return security
    .filter(isJsonObject)
    .map((alternative) => Object.keys(alternative).filter((name) => defined.get(name)?.kind !== "mutualTLS"));
}

/**
 * An operation that declares a scheme's parameter by itself takes it, whatever else it asks for, unless another scheme has
 * that place.
 */
function withDeclared(
  asked: Alternatives = [],
  declared: readonly string[],
  placeOfName: (name: string) => string,
): Alternatives {
  return (asked.length === 0 ? [[]] : asked).map((names) => {
    const taken = new Set(names.map(placeOfName));
    return [...names, ...declared.filter((name) => !taken.has(placeOfName(name)))];
  });
}

function placeOfScheme(scheme: DefinedScheme | undefined): string {
  return scheme?.kind === "apiKey" ? placeOf(scheme) : "";
}

function placeOf({ in: location, name }: Pick<Parameter, "in" | "name">): string {
  return `${location} ${location === "header" ? name.toLowerCase() : name}`;
}

/** A Security Scheme Object: one that calls can carry, or why nothing can be configured for it. */
export type DefinedScheme =
  | SecurityScheme
  | { readonly kind: "mutualTLS" }
  | { readonly kind: "unsupported"; readonly what: string };

/** The security schemes of a document, by name. */
function definedSchemes(document: JsonObject): ReadonlyMap<string, DefinedScheme> {
  const schemes = member(document.components, "securitySchemes");
  return new Map(
    Object.entries(isJsonObject(schemes) ? schemes : {}).map(([name, scheme]) => [
      name,
      definedScheme(document, scheme, below("/components/securitySchemes", name)),
    ]),
  );
}

/** Never a mistake of the document: only whoever configures a scheme has to know that it is not usable. */
function definedScheme(document: JsonObject, scheme: unknown, pointer: string): DefinedScheme {
  try {
    const { value } = resolve(document, scheme, pointer);
    return isJsonObject(value) ? schemeOf(value) : UNREADABLE;
  } catch (cause) {
    if (cause instanceof DocumentError) return UNREADABLE;
    throw cause;
  }
}

function schemeOf(definition: JsonObject): DefinedScheme {
  const type = text(definition.type);
  switch (type) {
    case "apiKey":
      return apiKey(definition);
    case "http": {
      const scheme = text(definition.scheme)?.toLowerCase();
      return scheme === "basic" || scheme === "bearer" ? { kind: scheme } : unsupported(`http ${scheme ?? ""}`.trim());
    }
    case "oauth2":
    case "openIdConnect":
      return { kind: "bearer" };
    case "mutualTLS":
      return { kind: "mutualTLS" };
    default:
      return type === undefined ? UNREADABLE : unsupported(type);
  }
}

function apiKey(definition: JsonObject): DefinedScheme {
  const [name, location] = [text(definition.name), definition.in];
  if (name === undefined) return UNREADABLE;
  if (location !== "header" && location !== "query" && location !== "cookie") return UNREADABLE;
  const isToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
  if (location !== "query" && !isToken) return unsupported(`an API key in a ${location} that cannot be sent`);
  // Some documents call a cookie by its header.
  const isFraming = location === "header" && isFramingHeader(name) && name.toLowerCase() !== "cookie";
  return isFraming ? unsupported(`an API key in the header ${name}`) : { kind: "apiKey", in: location, name };
}

function unsupported(what: string): DefinedScheme {
  return { kind: "unsupported", what };
}

const UNREADABLE = unsupported("not a valid Security Scheme Object");

/** The scheme, if a call can carry its credential. */
function carriable(scheme: DefinedScheme | undefined): SecurityScheme | undefined {
  return scheme === undefined || scheme.kind === "mutualTLS" || scheme.kind === "unsupported" ? undefined : scheme;
}
