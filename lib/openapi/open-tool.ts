import { boundedCache } from "../kernel/bounded-cache.ts";
import type { BridgeTool, Catalog, CatalogTool, Definitions, JsonSchema, ToolDetails } from "./catalog.ts";
import { createPartReader, namesReachable } from "./catalog-texts.ts";
import { declaredNames } from "./request/declared-names.ts";

/** Reads the details of a tool of one catalog; the tools in use last are kept, so that calls parse nothing. */
export type OpenTool = (tool: CatalogTool) => BridgeTool;

/** How many tools are kept ready: more than agents use of one app at a time. */
const KEPT = 500;

export function createOpenTool({
  definitions,
  parts,
  securitySchemes,
}: Pick<Catalog, "definitions" | "parts" | "securitySchemes">): OpenTool {
  const kept = boundedCache<CatalogTool, BridgeTool>(KEPT);
  const read = createPartReader(parts);
  const [input, output] = [standAlone(definitions.input, read), standAlone(definitions.output, read)];
  return (tool) => {
    const known = kept.get(tool);
    if (known !== undefined) return known;
    const { details, ...rest } = tool;
    const { inputSchema, outputSchema, request } = read(details) as ToolDetails;
    const { method, path } = tool;
    const schema = input(inputSchema);
    const opened = {
      ...rest,
      inputSchema: schema,
      ...(outputSchema !== undefined && { outputSchema: output(outputSchema) }),
      request: {
        method,
        path,
        ...request,
        declared: declaredNames({ path, ...request }, schema, securitySchemes),
      },
    };
    kept.put(tool, opened);
    return opened;
  };
}

/** Gives a schema the `$defs` that it refers to. Each definition is parsed once for all tools. */
function standAlone(definitions: Definitions, read: (text: string) => unknown): (schema: JsonSchema) => JsonSchema {
  const parsed = new Map<string, unknown>();
  const definition = (name: string): unknown => {
    if (!parsed.has(name) && Object.hasOwn(definitions, name)) {
      parsed.set(name, read(definitions[name] as string));
    }
    return parsed.get(name);
  };
  return (schema) => {
    const names = [...namesReachable(schema, definition)];
    return names.length === 0
      ? schema
      : { ...schema, $defs: Object.fromEntries(names.map((name) => [name, definition(name)])) };
  };
}
