import { RequestError } from "./request-error.ts";

/** Values of one parameter ready for its place, still unencoded. */
export type ParameterValue =
  | { readonly kind: "one"; readonly value: string }
  | { readonly kind: "list"; readonly values: readonly string[] }
  | { readonly kind: "members"; readonly members: readonly (readonly [string, string])[] };

/** What OpenAPI's `simple` and `form` styles can carry: primitives, arrays of them, objects of them. */
export function parameterValue(argument: string, value: unknown): ParameterValue {
  if (Array.isArray(value)) return { kind: "list", values: value.map((entry) => primitive(argument, entry)) };
  if (typeof value === "object" && value !== null) {
    return {
      kind: "members",
      members: Object.entries(value).map(([name, entry]) => [name, primitive(argument, entry)] as const),
    };
  }
  return { kind: "one", value: primitive(argument, value) };
}

/** OpenAPI, Style Values: `simple`, and `form` without its name. */
export function joined(value: ParameterValue, explode: boolean, encode: (text: string) => string): string {
  if (value.kind === "one") return encode(value.value);
  if (value.kind === "list") return value.values.map(encode).join(",");
  return value.members.map(([name, text]) => `${encode(name)}${explode ? "=" : ","}${encode(text)}`).join(",");
}

/** Percent-encodes everything that has a meaning in a URL. Half a surrogate pair has no UTF-8 and is refused. */
export function percentEncoder(argument: string): (text: string) => string {
  return (text) => {
    if (!text.isWellFormed()) throw new RequestError(argument, "is not valid Unicode text");
    return encodeURIComponent(text);
  };
}

function primitive(argument: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === null) return "";
  throw new RequestError(argument, "holds a nested value, which this parameter cannot carry");
}
