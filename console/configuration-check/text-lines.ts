/** Where the line of a position begins. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Where the line after that of a position begins; a position behind a line break is there already. */
export function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** Whether nothing but spaces stands before a position in its line. */
export function startsItsLine(text: string, at: number): boolean {
  return text.slice(lineStart(text, at), at).trim() === "";
}

/** How many spaces the line of a position begins with, dashes of lists taken as spaces. */
export function indentationAt(text: string, at: number): number {
  return /^[\s-]*/.exec(text.slice(lineStart(text, at), at))?.[0].length ?? 0;
}

/**
 * Where something can be put after what ends at a position: behind its line, and behind comments below it that are as far right as `column`.
 * At column 0 a comment may be about what follows; @param isLast nothing does
 */
export function withoutTrailingComments(text: string, at: number, column: number, isLast: boolean): number {
  let end = lineEnd(text, at);
  let next = end;
  while (next < text.length) {
    const found = text.indexOf("\n", next);
    const stop = found < 0 ? text.length : found + 1;
    const line = text.slice(next, stop);
    const comment = /^( *)#/.exec(line);
    if (comment !== null && (isLast || (column > 0 && (comment[1] ?? "").length >= column))) end = stop;
    else if (line.trim() !== "") break;
    next = stop;
  }
  return end;
}

/** At the end of a text that holds nothing but comments. */
export function appended(text: string, lines: string): string {
  return text === "" || text.endsWith("\n") ? text + lines : `${text}\n${lines}`;
}
