import { readFileSync } from "node:fs";
import { said, type Tools } from "./tool.ts";

/** Tools that are about their arguments: a schema of many keywords, and an argument that a header repeats. */
export const TOOLS_WITH_SCHEMAS: Tools = {
  json_schema_2020_12_tool: {
    description: "Tool with JSON Schema 2020-12 features",
    inputSchema: JSON.parse(readFileSync(new URL("many-keywords.schema.json", import.meta.url), "utf8")),
    call: () => said("The arguments are of no interest."),
  },
  test_region: {
    description: "Takes an argument that a header repeats",
    inputSchema: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
    },
    call: ({ region }) => said(`The region is ${region}.`),
  },
};
