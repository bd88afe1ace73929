import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** An item as DynamoDB takes and gives it. */
export type Item = Record<string, AttributeValue>;

/** Plain data to attributes; undefined members are left out. */
export function toAttributes(record: object): Item {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, toAttribute(value)]),
  );
}

/** The inverse of `toAttributes`. */
export function fromAttributes(item: Item): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]));
}

/** One string, number, boolean, array or plain object as an attribute. */
export function toAttribute(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number") return { N: String(value) };
  if (typeof value === "boolean") return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  if (typeof value === "object" && value !== null) return { M: toAttributes(value) };
  throw new TypeError(`no attribute for a value of type ${typeof value}`);
}

function fromAttribute(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.M !== undefined) return fromAttributes(attribute.M);
  throw new TypeError(`an attribute of a type that is never written: ${Object.keys(attribute).join()}`);
}
