import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { ItemKey } from "./keys.ts";
import { TTL_ATTRIBUTE } from "./tables.ts";

/** Version of the items' shape; readers accept items of one version older, so that two releases run side by side. */
export const SCHEMA_ATTRIBUTE = { name: "v", value: { N: "1" } } as const;

/** How long after its expiry an item stays, so that no clock's error removes one that another clock holds valid. */
const HOUSEKEEPING_DELAY_SECONDS = 3600;

/** Attributes of the store itself, which no record has. */
const STORE_ATTRIBUTES: readonly string[] = ["pk", "sk", SCHEMA_ATTRIBUTE.name, TTL_ATTRIBUTE];

/** A record with its key; `expiresAt` (milliseconds) lets DynamoDB remove it some time later. */
export function toItem(key: ItemKey, record: object, expiresAt?: number): Item {
  return {
    ...toAttributes(record),
    ...keyAttributes(key),
    [SCHEMA_ATTRIBUTE.name]: SCHEMA_ATTRIBUTE.value,
    ...(expiresAt !== undefined && { [TTL_ATTRIBUTE]: timeToLive(expiresAt) }),
  };
}

/** The value of the TTL attribute for an expiry in milliseconds. */
export function timeToLive(expiresAt: number): AttributeValue {
  return { N: String(Math.ceil(expiresAt / 1000) + HOUSEKEEPING_DELAY_SECONDS) };
}

/** The record in an item that `toItem` made. The caller names its type: a key's kind tells which it is. */
export function fromItem<T extends object>(item: Item): T {
  const record = Object.entries(item).filter(([name]) => !STORE_ATTRIBUTES.includes(name));
  return fromAttributes(Object.fromEntries(record)) as T;
}

export function keyAttributes(key: ItemKey): Item {
  return { pk: { S: key.pk }, sk: { S: key.sk } };
}

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
function fromAttributes(item: Item): Record<string, unknown> {
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
