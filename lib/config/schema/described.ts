import type * as z from "zod";

/**
 * Says what a key is for, in the words of the reference page and of editors. Outermost, around defaults and `optional()`.
 * @param example as it is written in YAML; left out where the default or the accepted values show it
 */
export function described<Schema extends z.ZodType>(schema: Schema, meaning: string, example?: unknown): Schema {
  return schema.meta({ ...schema.meta(), description: meaning, ...(example !== undefined && { examples: [example] }) });
}
