import { described } from "../described.ts";
import { section } from "../section.ts";
import { flag, text } from "../types.ts";

const namespace = section({
  disabled: described(
    flag().default(false),
    "Leaves names as they are; two REST APIs must not share one, and of several MCP servers the first that has it is meant.",
  ),
  name: described(
    text().optional(),
    "Stands in front of each tool's name as it is written, and of no other app's of the organization; by default the app's name and `_`.",
    "ledger_",
  ),
});

export const toolNamespace = described(namespace.prefault({}), "What stands in front of the names of tools.");
