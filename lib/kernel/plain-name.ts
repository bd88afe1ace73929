/**
 * What nobody sees in a name, or what makes it look like another one: control characters (Unicode category Cc), line and
 * paragraph separators (Zl, Zp), format characters such as bidirectional and zero-width ones (Cf), halves of characters (Cs),
 * and everything else that is not shown (Default_Ignorable_Code_Point), such as fillers and variation selectors.
 */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a name or URI has only characters that show. Any other names nothing (checklist 45). */
export function isPlainName(name: string): boolean {
  return !UNSEEN.test(name);
}

/** A text whose unseen characters show, each by its code point: `U+202E` in brackets. For people who are to notice them. */
export function withUnseenShown(text: string): string {
  return text.replace(new RegExp(UNSEEN, "gu"), (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `[U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** A text of somebody else's on one line, with a space for what nobody sees. */
export function withoutUnseen(text: string): string {
  return text.replace(new RegExp(`(?:${UNSEEN.source})+`, "gu"), " ");
}

/** The third mark on one character and what follows: a pile of them covers other lines. */
const PILED = /(?<=\p{M}\p{M})\p{M}/u;
const HARD_TO_SEE = new RegExp(`${UNSEEN.source}|${PILED.source}`, "gu");

/** JSON text, indented or not, whose unseen and piled characters are written as JSON's escapes: it is still the same JSON. */
export function jsonWithUnseenEscaped(text: string): string {
  return text.replace(HARD_TO_SEE, (character) =>
    character === "\n" ? character : character.split("").map(escapedUnit).join(""),
  );
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
