import { effectOf, isAboutCaller, type SearchedTool, toolText } from "./searched-tool.ts";
import { createTextIndex, type Entry, type TextIndex } from "./text-index.ts";

/** The names of the tools that have words of a question, the best first. */
export type FindTools = TextIndex<string>;

/**
 * Finds tools by what they do. The index is built with the first question, which costs as much as some hundred of those
 * that follow.
 */
export function createFindTools(tools: Iterable<SearchedTool>): FindTools {
  let index: FindTools | undefined;
  return (question) => {
    index ??= createTextIndex(Array.from(tools, indexEntry));
    return index(question);
  };
}

export function indexEntry(searched: SearchedTool): Entry<string> {
  const { tool } = searched;
  return { key: tool.name, text: toolText(searched), effect: effectOf(tool), isAboutCaller: isAboutCaller(tool) };
}
