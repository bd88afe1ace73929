import { useMemo } from "react";
import { DiffLines } from "../../parts/diff-lines.tsx";
import { type DiffLine, lineDiff } from "../../parts/line-diff.ts";

interface DefinitionDiffProps {
  /** The approved definition; absent: there is none, or it is not kept. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What a held definition changes, line by line. Texts that are too long to be compared stand one after the other. */
export function DefinitionDiff({ before, after }: DefinitionDiffProps) {
  const lines = useMemo(() => (before === undefined ? sameLines(after) : lineDiff(before, after)), [before, after]);
  if (lines !== undefined)
    return <DiffLines label={before === undefined ? "Definition" : "Difference"} lines={lines} />;
  return (
    <>
      <p>The definitions are too long to be compared line by line. First the held one, then the approved one.</p>
      <DiffLines label="Held definition" lines={sameLines(after)} />
      <DiffLines label="Approved definition" lines={sameLines(before ?? "")} />
    </>
  );
}

function sameLines(text: string): readonly DiffLine[] {
  return text.split("\n").map((line) => ({ kind: "same", text: line }));
}
