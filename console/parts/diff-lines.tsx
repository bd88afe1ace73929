import classes from "./diff-lines.module.css";
import type { DiffLine } from "./line-diff.ts";

export interface DiffLinesProps {
  readonly label: string;
  readonly lines: readonly DiffLine[];
}

/** What differs, line by line, in a box that scrolls. */
export function DiffLines({ label, lines }: DiffLinesProps) {
  const numbered = lines.map((line, index) => ({ line, key: `line ${index}` }));
  return (
    <section className={classes.box} aria-label={label} {...SCROLLS}>
      {numbered.map(({ line, key }) => (
        <Line key={key} line={line} />
      ))}
    </section>
  );
}

/** So it must be reached with the keyboard. */
const SCROLLS = { tabIndex: 0 } as const;

const SIGN = { same: " ", removed: "−", added: "+" } as const;
const WORD = { removed: "Removed: ", added: "Added: " } as const;
const TAG = { same: "span", removed: "del", added: "ins" } as const;

/** Screen readers hear a word, as most of them pass over `ins` and `del`. */
function Line({ line: { kind, text } }: { readonly line: DiffLine }) {
  const Tag = TAG[kind];
  return (
    <div className={classes.line} data-kind={kind}>
      <span className={classes.sign} aria-hidden="true">
        {SIGN[kind]}
      </span>
      {kind !== "same" && <span className={classes.hidden}>{WORD[kind]}</span>}
      <Tag className={classes.text}>{text}</Tag>
    </div>
  );
}
