import type { ToolFacts } from "../tool-index.ts";
import { effectOf, isAboutCaller } from "./effect.ts";
import { createTextIndex, type Entry, type TextIndex } from "./text-index.ts";
import { toolText } from "./tool-text.ts";

/** What of a tool is searched. */
export interface SearchedTool {
  readonly tool: SearchedFacts;
  readonly app: { readonly name: string };
}

/** Operations of REST APIs have a method and a path. */
export type SearchedFacts = ToolFacts & { readonly method?: string; readonly path?: string };

/** The names of the tools that have words of a question, the best first. */
export type FindTools = TextIndex<string>;

/**
 * Finds tools by what they do. The index is built with the first question, which costs as much as some hundred of those
 * that follow.
 */
export function createFindTools(tools: readonly SearchedTool[]): FindTools {
  let index: FindTools | undefined;
  return (question) => {
    index ??= createTextIndex(tools.map(indexEntry));
    return index(question);
  };
}

export function indexEntry(searched: SearchedTool): Entry<string> {
  const { tool } = searched;
  return { key: tool.name, text: toolText(searched), effect: effectOf(tool), isAboutCaller: isAboutCaller(tool) };
}
