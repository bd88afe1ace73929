import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { fromAttributes, type Item, toAttributes } from "./attributes.ts";
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
