import type { FromSchema, JSONSchema } from "json-schema-to-ts";

/** ISO 8601 in UTC, as every answer has times. */
export const TIME = { type: "string", format: "date-time" } as const;

export const ROLE = {
  title: "Role",
  description: "An owner may do everything in the organization, a member may read.",
  enum: ["owner", "member"],
} as const;

/** Lower-cased in answers. */
export const EMAIL = { type: "string", minLength: 3, maxLength: 254, examples: ["owner@example.com"] } as const;

/** A name that people chose. */
export const NAME = { type: "string", minLength: 1, maxLength: 200 } as const;

/** The secret of a one-time link. */
export const LINK_TOKEN = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "What stands after `#token=` in the link.",
} as const;

export const NO_FIELDS = { type: "object", properties: {}, additionalProperties: false } as const;

/** A list that is one page of several. A schema with a title is a component of the document by that name. */
export function pageOf<const Title extends string, const Item extends JSONSchema>(title: Title, items: Item) {
  return {
    title,
    type: "object",
    properties: {
      items: { type: "array", items },
      nextCursor: { type: "string", description: "The `cursor` of the next page; absent: this was the last one." },
    },
    required: ["items"],
    additionalProperties: false,
  } as const;
}

/** How many a list has, up to a bound. */
export const TOTAL = {
  title: "ListTotal",
  description: "How many there are on all pages together; the first page has it.",
  type: "object",
  properties: {
    count: { type: "integer", minimum: 0 },
    isExact: { type: "boolean", description: "False: there are at least so many." },
  },
  required: ["count", "isExact"],
  additionalProperties: false,
} as const;

/** A list that is whole. */
export function listOf<const Title extends string, const Item extends JSONSchema>(title: Title, items: Item) {
  return {
    title,
    type: "object",
    properties: { items: { type: "array", items } },
    required: ["items"],
    additionalProperties: false,
  } as const;
}

/** What a JSON Schema admits, as a type whose members are all read-only. Exists for the compiler alone. */
export type Shape<Schema extends JSONSchema> = Unchanging<FromSchema<Schema>>;

type Unchanging<T> = T extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Unchanging<T[Name]> }
    : T;
