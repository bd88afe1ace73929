import classes from "./foreign-text.module.css";

export interface ForeignTextProps {
  readonly text: string;
  /** One line with an ellipsis; the pointer finds the whole. Only where the whole text is shown elsewhere, too. */
  readonly isCut?: boolean;
}

/**
 * A text that somebody else chose. Marks of writing direction in it have no effect on what surrounds it (Unicode UAX 9),
 * and characters that are not seen are shown by their numbers, so that no name looks like another.
 */
export function ForeignText({ text, isCut }: ForeignTextProps) {
  return (
    <bdi className={isCut ? classes.cut : classes.whole} title={isCut ? visibleText(text) : undefined}>
      {piecesOf(text).map(({ key, piece, isHidden }) =>
        isHidden ? (
          <span key={key} className={classes.mark}>
            {numberOf(piece)}
          </span>
        ) : (
          piece
        ),
      )}
    </bdi>
  );
}

/** The same as plain text, for titles and labels. */
export function visibleText(text: string): string {
  return piecesOf(text)
    .map(({ piece, isHidden }) => (isHidden ? numberOf(piece) : piece))
    .join("");
}

/** Control, format, private and lone surrogate characters, line separators; but not what joins an emoji. */
const HIDDEN = /((?<!\p{Extended_Pictographic}\uFE0F?)\u200D|[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200D)\p{Cf})/u;

function piecesOf(text: string) {
  return text
    .split(HIDDEN)
    .map((piece, index) => ({ key: `${index}`, piece, isHidden: index % 2 === 1 }))
    .filter(({ piece }) => piece !== "");
}

function numberOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
