import type { FromSchema, JSONSchema } from "json-schema-to-ts";

/** What a JSON Schema admits, as a type whose members are all read-only. Exists for the compiler alone. */
export type Shape<Schema extends JSONSchema> = Unchanging<FromSchema<Schema>>;

type Unchanging<T> = T extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Unchanging<T[Name]> }
    : T;
