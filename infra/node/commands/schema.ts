import { documentJsonSchema } from "../../../lib/config/json-schema/document.ts";
import { publishedSchema } from "../../../lib/config/json-schema/published.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";

/** `countersign schema`: the JSON Schema of the configuration, for editors. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  parseFlags(args, {});
  io.stdout(`${JSON.stringify(publishedSchema(documentJsonSchema()), undefined, 2)}\n`);
  return 0;
}
