/** What YAML 1.2 section 5.1 leaves out: control characters but tab and line breaks, halves of surrogate pairs, and two more. */
const NOT_PRINTABLE = /[^\P{Cc}\t\n\r\u0085]|\p{Cs}|[\uFFFE\uFFFF]/u;

/** The first character that no YAML document holds: where it is, and what to say. */
export function unprintable(text: string): { readonly offset: number; readonly message: string } | undefined {
  const match = NOT_PRINTABLE.exec(text);
  if (match === null) return undefined;
  const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  const message = `found the character U+${code}; accepted: printable text, or an escape in double quotes`;
  return { offset: match.index, message };
}
