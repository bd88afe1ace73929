import type { SecurityScheme } from "./catalog.ts";

/** What a configuration gives the calls of an API. */
export interface GivenCredentials {
  /** Names of security schemes with a credential. */
  readonly schemes: ReadonlySet<string>;
  /** Headers with a value of the configuration, lower case. */
  readonly headers: ReadonlySet<string>;
  /** Each call carries a token in `Authorization`. */
  readonly isExchanged: boolean;
}

type Schemes = Readonly<Record<string, SecurityScheme>>;

/**
 * The first alternative of an operation whose schemes are all met (OpenAPI, Security Requirement Object); undefined when
 * none is. One that asks for nothing comes last: whoever configures a credential wants it to be sent.
 */
export function metAlternative(
  alternatives: readonly (readonly string[])[],
  schemes: Schemes,
  given: GivenCredentials,
): readonly string[] | undefined {
  const met = alternatives.filter((names) => names.every((name) => isMet(name, schemes, given)));
  return met.find((names) => names.length > 0) ?? met[0];
}

function isMet(name: string, schemes: Schemes, { schemes: configured, headers, isExchanged }: GivenCredentials) {
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  if (scheme === undefined) return false;
  const header = headerOf(scheme);
  if (configured.has(name) || (header !== undefined && headers.has(header))) return true;
  return isExchanged && header === "authorization" && scheme.kind !== "basic";
}

/** The header that carries a scheme's credential, lower case. */
function headerOf(scheme: SecurityScheme): string | undefined {
  if (scheme.kind !== "apiKey") return "authorization";
  return scheme.in === "header" ? scheme.name.toLowerCase() : undefined;
}
