import { isJsonObject, type JsonObject } from "../../json.ts";
import type { SecurityScheme } from "../catalog.ts";
import { isFramingHeader } from "../framing-headers.ts";
import { below, DocumentError } from "./document-error.ts";
import { member, text } from "./plain.ts";
import { resolve } from "./reference.ts";

/** A Security Scheme Object: one that calls can carry, or why nothing can be configured for it. */
export type DefinedScheme =
  | SecurityScheme
  | { readonly kind: "mutualTLS" }
  | { readonly kind: "unsupported"; readonly what: string };

/** The security schemes of a document, by name. */
export function definedSchemes(document: JsonObject): ReadonlyMap<string, DefinedScheme> {
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
export function carriable(scheme: DefinedScheme | undefined): SecurityScheme | undefined {
  return scheme === undefined || scheme.kind === "mutualTLS" || scheme.kind === "unsupported" ? undefined : scheme;
}
