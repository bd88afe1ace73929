import { documentJsonSchema, publishedSchema } from "../../../lib/config/json-schema.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";

/** `countersign schema`: the JSON Schema of the configuration, for editors. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  parseFlags(args, {});
  io.stdout(`${JSON.stringify(publishedSchema(documentJsonSchema()), undefined, 2)}\n`);
  return 0;
}
