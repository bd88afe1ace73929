import { SecretError } from "./provider.ts";

export interface ProviderUrlRules {
  /** For errors. */
  readonly example: string;
  /** Names of the parameters that are accepted. */
  readonly parameters: readonly string[];
}

/** The URL of a provider, taken apart. */
export interface ProviderUrl {
  readonly scheme: string;
  /** With the port, when there is one. */
  readonly host: string;
  /** Segments of the path, decoded; none is empty. */
  readonly path: readonly string[];
  /** A parameter's value, which is not empty; undefined when it is absent. */
  parameter(name: string): string | undefined;
  /** @throws SecretError when the parameter is absent */
  required(name: string): string;
}

/**
 * Takes a provider's URL apart: host, path, and parameters that are each given once. Values stand as in any URL, with
 * `%` escapes, but `+` is a plus sign and no space: credentials have plus signs and no spaces.
 * @throws SecretError that names what is wrong and what is accepted, and quotes no value
 */
export function parseProviderUrl(text: string, { example, parameters }: ProviderUrlRules): ProviderUrl {
  const scheme = text.slice(0, text.indexOf("://"));
  const refuse = (what: string) => new SecretError(`The secret provider ${scheme} ${what}, for example ${example}.`);
  // Its own error would quote the URL.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw refuse("needs a well-formed URL");
  if (!URL.canParse(`https://${url.host}`)) throw refuse("needs a host");
  if (url.username !== "" || url.password !== "") throw refuse("takes no user name or password before its host");
  if (url.hash !== "") throw refuse("takes no # in its URL (it is %23 within a value)");

  const decoded = (escaped: string, where: string) => {
    const value = unescaped(escaped);
    if (value === undefined) throw refuse(`has a malformed % escape in ${where}`);
    return value;
  };
  const segments = url.pathname.split("/").map((segment) => decoded(segment, "its path"));
  const path = segments.filter((segment) => segment !== "");
  const values = new Map<string, string>();
  for (const [name, escaped] of pairs(url.search)) {
    if (!parameters.includes(name)) throw unknownParameter(scheme, name, parameters);
    if (values.has(name)) throw refuse(`takes the parameter ${name} once`);
    const value = decoded(escaped, `the parameter ${name}`);
    if (value === "") throw refuse(`needs a value for the parameter ${name}`);
    values.set(name, value);
  }
  const required = (name: string) => {
    const value = values.get(name);
    if (value === undefined) throw refuse(`needs the parameter ${name}`);
    return value;
  };
  return { scheme, host: url.host, path, parameter: (name) => values.get(name), required };
}

/** Parameters whose value is a credential, of all providers; names of files are none. */
const CREDENTIAL = /(token|secret|password|key)(?!.*file$)/i;

/** The credentials in a provider's URL, as they are written there and decoded, so that a logger can remove them. */
export function credentialsIn(url: string): readonly string[] {
  const query = url.split("#", 1)[0]?.split("?").slice(1).join("?") ?? "";
  const values = pairs(query)
    .filter(([name]) => CREDENTIAL.test(name))
    .flatMap(([, escaped]) => [escaped, unescaped(escaped) ?? escaped]);
  return [...new Set(values)].filter((value) => value !== "");
}

/** Names as they stand, values still escaped. */
function pairs(query: string): readonly (readonly [string, string])[] {
  return query
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals === -1 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

/** A name that is none may be a value whose `name=` was forgotten, so that only what looks like a name is shown. */
function unknownParameter(scheme: string, name: string, accepted: readonly string[]): SecretError {
  const shown = /^[A-Za-z][A-Za-z_-]{0,23}$/.test(name) ? `the unknown parameter ${name}` : "an unknown parameter";
  const list = accepted.length === 0 ? "none" : accepted.join(", ");
  return new SecretError(`The secret provider ${scheme} has ${shown}; accepted: ${list}.`);
}

/** Without `%` escapes; undefined when one is malformed. */
export function unescaped(escaped: string): string | undefined {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

/** Where a vendor's API is: on the host of the URL, and never by plain HTTP, as credentials travel there. */
export function vendorOrigin({ host }: ProviderUrl): string {
  return new URL(`https://${host}`).origin;
}

/** @throws SecretError when the URL has a path, for a provider that takes none */
export function refusePath({ scheme, path }: ProviderUrl, example: string): void {
  if (path.length === 0) return;
  throw new SecretError(`The secret provider ${scheme} takes no path behind its host, for example ${example}.`);
}
