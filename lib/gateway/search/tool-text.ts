import { prose } from "../../bridge/summary.ts";
import type { SearchedTool } from "./find-tools.ts";

/** The parts of a tool that a search reads, as text. */
export interface ToolText {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly path: string;
  readonly app: string;
  /** The document's tags. */
  readonly tags: string;
  /** What the HTTP method does, in plain words. */
  readonly verbs: string;
}

/** How much of a description counts: what follows is about tokens and exceptions. */
const DESCRIPTION = 300;

export function toolText({ tool, app }: SearchedTool): ToolText {
  const { localName, title, description = "", method = "", path = "", tags = [] } = tool;
  const last = path.slice(path.lastIndexOf("/"));
  return {
    name: localName,
    title: title ?? localName,
    description: prose(description).slice(0, DESCRIPTION),
    path: path.replaceAll(/\{[^{}]*\}/g, " "),
    app: app.name,
    tags: tags.join(" "),
    // What MCP servers say of their tools is in their own words.
    verbs: last.endsWith("}") || method !== "GET" ? (VERBS[method] ?? "") : "get list show read",
  };
}

const VERBS: Readonly<Record<string, string>> = {
  GET: "get show read",
  HEAD: "check",
  POST: "create add new",
  PUT: "set update replace add",
  PATCH: "update change edit",
  DELETE: "delete remove",
};
