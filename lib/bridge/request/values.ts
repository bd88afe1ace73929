/** A value of RFC 6570 §2.3 in text form, unencoded; undefined: null, and lists and objects without a value. */
export type StyledValue =
  | { readonly kind: "one"; readonly value: string }
  | { readonly kind: "list"; readonly values: readonly string[] }
  | { readonly kind: "members"; readonly members: readonly (readonly [string, string])[] };

/**
 * What styles write. They have no place for values inside the values of a list or an object: such a one is JSON text, which
 * is what OpenAPI has for objects inside of forms.
 */
export function styledValue(value: unknown): StyledValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const values = value.filter(isDefined).map(textOf);
    return values.length === 0 ? undefined : { kind: "list", values };
  }
  if (typeof value !== "object") return { kind: "one", value: textOf(value) };
  const members = Object.entries(value)
    .filter(([, entry]) => isDefined(entry))
    .map(([name, entry]) => [name, textOf(entry)] as const);
  return members.length === 0 ? undefined : { kind: "members", members };
}

export function isDefined(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** A string as it stands, anything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  // JSON would write an exponent, which readers of integers stop at.
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value).toString();
  return JSON.stringify(value);
}
