import { boundedMap } from "../bounded-map.ts";
import type { BridgeTool, Catalog, CatalogTool, Definitions, JsonSchema, ToolDetails } from "./catalog.ts";
import { namesReachable } from "./definitions.ts";

/** Reads the details of a tool of one catalog; the tools in use last are kept, so that calls parse nothing. */
export type OpenTool = (tool: CatalogTool) => BridgeTool;

/** How many tools are kept ready: more than agents use of one app at a time. */
const KEPT = 500;

export function createOpenTool({ definitions }: Pick<Catalog, "definitions">): OpenTool {
  const kept = boundedMap<CatalogTool, BridgeTool>(KEPT);
  const [input, output] = [standAlone(definitions.input), standAlone(definitions.output)];
  return (tool) => {
    const known = kept.get(tool);
    if (known !== undefined) return known;
    const { details, ...rest } = tool;
    const { inputSchema, outputSchema, request } = JSON.parse(details) as ToolDetails;
    const opened = {
      ...rest,
      inputSchema: input(inputSchema),
      ...(outputSchema !== undefined && { outputSchema: output(outputSchema) }),
      request,
    };
    kept.put(tool, opened);
    return opened;
  };
}

/** Gives a schema the `$defs` that it refers to. Each definition is parsed once for all tools. */
function standAlone(definitions: Definitions): (schema: JsonSchema) => JsonSchema {
  const parsed = new Map<string, unknown>();
  const definition = (name: string): unknown => {
    if (!parsed.has(name) && Object.hasOwn(definitions, name)) {
      parsed.set(name, JSON.parse(definitions[name] as string));
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
