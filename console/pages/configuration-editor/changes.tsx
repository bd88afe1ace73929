import type { Prepared } from "../../configuration-check/protocol.ts";
import { DiffLines } from "../../parts/diff-lines.tsx";
import { visibleText } from "../../parts/foreign-text.tsx";
import type { DiffLine } from "../../parts/line-diff.ts";

/** Key by key, as a look at a publication shows them. */
export function Changes({ changes }: Pick<Prepared, "changes">) {
  if (changes.length === 0) return <p>It says the same as what is in use.</p>;
  return (
    <>
      <p>{counted(changes)}</p>
      <DiffLines label="Changes" lines={changes.flatMap(linesOf)} />
    </>
  );
}

/** `3 keys: 1 new, 2 changed.` */
function counted(changes: Prepared["changes"]): string {
  const added = changes.filter(({ from }) => from === undefined).length;
  const removed = changes.filter(({ to }) => to === undefined).length;
  const kinds = [
    [added, "new"],
    [changes.length - added - removed, "changed"],
    [removed, "gone"],
  ] as const;
  const parts = kinds.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `${changes.length} ${changes.length === 1 ? "key" : "keys"}: ${parts.join(", ")}.`;
}

function linesOf({ path, from, to }: Prepared["changes"][number]): readonly DiffLine[] {
  const line = (kind: DiffLine["kind"], value: string | undefined): readonly DiffLine[] =>
    value === undefined ? [] : [{ kind, text: visibleText(`${path}: ${value}`) }];
  return [...line("removed", from), ...line("added", to)];
}
