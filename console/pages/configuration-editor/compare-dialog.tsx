import type { ConfigurationDocument } from "../../../lib/management/schemas/deployment.ts";
import type { Checker } from "../../configuration-check/checker.ts";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Changes } from "./changes.tsx";
import { usePrepared } from "./use-prepared.ts";

export interface CompareDialogProps {
  readonly opened: boolean;
  readonly checker: Checker;
  readonly inUse: ConfigurationDocument | undefined;
  readonly onClose: () => void;
}

/** What differs from what is in use. */
export function CompareDialog({ opened, onClose, ...compared }: CompareDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Compared with what is in use" size="xl" closeButtonProps={CLOSE}>
      <Compared {...compared} />
    </Dialog>
  );
}

const CLOSE = { "aria-label": "Close" } as const;

function Compared({ checker, inUse }: Pick<CompareDialogProps, "checker" | "inUse">) {
  const { prepared, failed } = usePrepared(checker, inUse);
  if (failed !== undefined) return <ProblemNote error={failed} title="It could not be compared" />;
  return prepared === undefined ? <SkeletonLines /> : <Changes changes={prepared.changes} />;
}
