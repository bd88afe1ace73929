import classes from "./foreign-text.module.css";

export interface ForeignTextProps {
  readonly text: string;
  /** One line with an ellipsis; the pointer finds the whole. Only where the whole text is shown elsewhere, too. */
  readonly isCut?: boolean;
  /** What joins an emoji or chooses its look is shown, too, and so is every space but the plain one: for what somebody approves. */
  readonly isExact?: boolean;
}

/**
 * A text that somebody else chose. Marks of writing direction in it have no effect on what surrounds it (Unicode UAX 9),
 * and characters that are not seen are shown by their numbers, so that no name looks like another.
 */
export function ForeignText({ text, isCut, isExact }: ForeignTextProps) {
  return (
    <bdi className={isCut ? classes.cut : classes.whole} title={isCut ? visibleText(text) : undefined}>
      {piecesOf(text, isExact ? UNSEEN : HIDDEN).map(({ key, piece, isHidden }) =>
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

/**
 * The same with all that is not shown (Default_Ignorable_Code_Point), the blank of Braille, every space but the plain one, and marks that
 * pile up on one character.
 */
const UNSEEN =
  /([\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}\p{M})\p{M})/u;

function piecesOf(text: string, hidden = HIDDEN) {
  return text
    .split(hidden)
    .map((piece, index) => ({ key: `${index}`, piece, isHidden: index % 2 === 1 }))
    .filter(({ piece }) => piece !== "");
}

function numberOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
