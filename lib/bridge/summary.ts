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

/** What a description begins with, on one line; a paragraph may end without a full stop. */
export function firstSentence(markdown: string): string {
  const paragraphs = markdown.split(/\n[ \t\r]*\n/).map(prose);
  return (paragraphs.find((text) => text !== "") ?? "").replace(/(?<=\p{L}{2}[.!?])\s.*$/su, "");
}

/** A title of one line; a summary that is a whole text begins with one. */
export function titleOf(summary: string): string {
  const text = summary.trim();
  return (text.includes("\n") && firstSentence(text)) || text.replaceAll(/\s+/g, " ");
}
