import { lazy, Suspense } from "react";
import type { Checker } from "../../configuration-check/checker.ts";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { Dialog } from "../../parts/dialog.tsx";

const TrialPanels = lazy(() => import("./trial-panels.tsx"));

export interface TrialDialogProps {
  readonly opened: boolean;
  readonly checker: Checker;
  readonly onClose: () => void;
}

/** Tries the text before it is published: what is decided on a call, and who gains or loses which tools. */
export function TrialDialog({ opened, checker, onClose }: TrialDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Try the draft" size="xl" closeButtonProps={CLOSE}>
      <Suspense fallback={<SkeletonLines lines={6} />}>
        <TrialPanels checker={checker} />
      </Suspense>
    </Dialog>
  );
}

const CLOSE = { "aria-label": "Close" } as const;
