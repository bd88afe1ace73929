import { useRef } from "react";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { CutOff } from "./cut-offs.ts";
import classes from "./save-dialog.module.css";

export interface SaveDialogProps {
  /** What the changes do to agents; undefined: nobody is asked. */
  readonly found: readonly CutOff[] | undefined;
  /** To be typed before something grave. */
  readonly serverName: string;
  readonly isSaving: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before settings are saved that cut agents off or let everybody in. What goes wrong is shown in the form. */
export function SaveDialog({ found, serverName, isSaving, onConfirm, onClose }: SaveDialogProps) {
  const last = useRef(found);
  if (found !== undefined) last.current = found;
  const shown = last.current ?? [];
  const isGrave = shown.some((one) => one.isGrave);
  return (
    <ConfirmDialog
      opened={found !== undefined}
      title={isGrave ? "Open the gateway to everybody?" : "Save settings that cut agents off?"}
      confirmLabel="Save settings"
      {...(isGrave && { typeToConfirm: serverName })}
      isPending={isSaving}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <ul className={classes.list}>
        {shown.map(({ title, words }) => (
          <li key={title}>
            <strong>{title}.</strong> {words}
          </li>
        ))}
      </ul>
      <p>
        It takes effect on this instance at once and on the others within 5 seconds. It stays until somebody changes it
        again.
      </p>
    </ConfirmDialog>
  );
}
