import { useMemo } from "react";
import classes from "./definition-diff.module.css";
import { type DiffLine, lineDiff } from "./line-diff.ts";

interface DefinitionDiffProps {
  /** The approved definition; absent: there is none, or it is not kept. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What a held definition changes, line by line. Texts that are too long to be compared stand one after the other. */
export function DefinitionDiff({ before, after }: DefinitionDiffProps) {
  const lines = useMemo(() => (before === undefined ? sameLines(after) : lineDiff(before, after)), [before, after]);
  if (lines !== undefined) return <Lines label={before === undefined ? "Definition" : "Difference"} lines={lines} />;
  return (
    <>
      <p>The definitions are too long to be compared line by line. First the held one, then the approved one.</p>
      <Lines label="Held definition" lines={sameLines(after)} />
      <Lines label="Approved definition" lines={sameLines(before ?? "")} />
    </>
  );
}

function sameLines(text: string): readonly DiffLine[] {
  return text.split("\n").map((line) => ({ kind: "same", text: line }));
}

function Lines({ label, lines }: { readonly label: string; readonly lines: readonly DiffLine[] }) {
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
