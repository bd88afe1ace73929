import { CALL_TOOL, DESCRIBE_TOOLS, META_TOOL_NAMES, SEARCH_TOOLS } from "../../config/tool-names.ts";
import type { ListedTool } from "../tool-index.ts";

export const QUESTION_LENGTH = 500;
export const MAX_HITS = 50;
export const DEFAULT_HITS = 10;
export const MAX_DESCRIBED = 20;

const APP = { type: "string", minLength: 1, maxLength: 200 } as const;
/** As long as those of MCP servers may be. */
const NAME = { ...APP, maxLength: 1_000 } as const;

export const SEARCH_TOOL: ListedTool = {
  name: SEARCH_TOOLS,
  title: "Search for tools",
  description:
    "Finds the tools for a task, the best first. There are many more tools than those listed here: search before you say that something cannot be done. " +
    "Ask in plain English for one task at a time, a verb and what it is about: “create an issue”. If nothing fits, ask in other words.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: QUESTION_LENGTH, description: "What the tool should do." },
      limit: { type: "integer", minimum: 1, maximum: MAX_HITS, default: DEFAULT_HITS },
      app: { ...APP, description: "Exact name of an app, to find tools of it only." },
    },
    required: ["query"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      tools: {
        type: "array",
        items: {
          type: "object",
          properties: {
            name: { type: "string" },
            summary: { type: "string" },
            required: { type: "array", items: { type: "string" }, description: "Arguments that the tool needs." },
          },
          required: ["name", "summary", "required"],
        },
      },
    },
    required: ["tools"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export const DESCRIBE_TOOL: ListedTool = {
  name: DESCRIBE_TOOLS,
  title: "Describe tools",
  description: `What tools do and the schemas of their arguments, for names from ${SEARCH_TOOLS}.`,
  inputSchema: {
    type: "object",
    properties: { names: { type: "array", items: NAME, minItems: 1, maxItems: MAX_DESCRIBED } },
    required: ["names"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export const CALLING_TOOL: ListedTool = {
  name: CALL_TOOL,
  title: "Call a tool",
  description: `Calls a tool by its name from ${SEARCH_TOOLS}. Its arguments are as ${DESCRIBE_TOOLS} says.`,
  inputSchema: {
    type: "object",
    properties: { name: NAME, arguments: { type: "object", description: "The arguments of that tool." } },
    required: ["name"],
    additionalProperties: false,
  },
  annotations: {},
};

/** What is listed instead of all tools. */
export const META_TOOLS: readonly ListedTool[] = [SEARCH_TOOL, DESCRIBE_TOOL, CALLING_TOOL];

export function isMetaTool(name: unknown): name is string {
  return typeof name === "string" && META_TOOL_NAMES.includes(name);
}
