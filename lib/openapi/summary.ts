import type { CatalogTool } from "./catalog.ts";
import { bounded } from "./documents/plain.ts";

/** A description in Markdown on one line, without its notes, headings, addresses and tags. */
export function prose(markdown: string): string {
  return markdown
    .replaceAll(/^[ \t]*[>#].*$/gm, " ")
    .replaceAll(/\]\([^)]*\)/g, "] ")
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/https?:\S+/g, " ")
    .replaceAll(/[\s*`[\]]+/g, " ")
    .trim();
}

/** What a description begins with, on one line; a paragraph may end without a full stop, and a bold one is an aside. */
export function firstSentence(markdown: string): string {
  const paragraphs = markdown.split(/\n[ \t\r]*\n/).filter((paragraph) => /\p{L}/u.test(prose(paragraph)));
  const first = paragraphs.find((paragraph) => !paragraph.trimStart().startsWith("**")) ?? paragraphs[0] ?? "";
  return prose(first).replace(/(?<=\p{L}{2}[.!?])\s.*$/su, "");
}

/** Characters of a title. */
const TITLE_LIMIT = 120;
/** Characters of a summary that its title can be made of. */
const TITLE_SOURCE = 2_000;

/** Whether a summary is more than a title. */
export function isLong(summary: string): boolean {
  return summary.length > TITLE_LIMIT || summary.includes("\n");
}

/** A title of one line; a summary that is a whole text begins with one. */
export function titleOf(summary: string): string {
  const text = summary.slice(0, TITLE_SOURCE);
  return bounded((isLong(summary) && firstSentence(text)) || text.replaceAll(/\s+/g, " "), TITLE_LIMIT);
}

/** What a tool is for, on one line: its title, or the first sentence of its description; empty when it has neither. */
export function summaryOf({ title, description = "" }: Pick<CatalogTool, "title" | "description">): string {
  return title?.replaceAll(/\s+/g, " ").trim() || firstSentence(description);
}
