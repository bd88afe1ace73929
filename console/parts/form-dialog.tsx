import { Button } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useConnection } from "../api/context.ts";
import { Dialog } from "./dialog.tsx";
import classes from "./form-dialog.module.css";
import { ProblemNote } from "./problem-note.tsx";

export interface FormDialogProps {
  readonly opened: boolean;
  readonly title: ReactNode;
  /** Its state goes with the dialog. */
  readonly children: ReactNode;
  /** Something is under way that closing would not stop. */
  readonly isPending?: boolean;
  /** Closes by a button inside alone: what it shows is shown once. */
  readonly isFirm?: boolean;
  readonly onClose: () => void;
  /** It is no longer seen. */
  readonly onClosed?: () => void;
}

/** A dialog with a form. A click beside it does not close it, and nothing does while the person has to sign in again. */
export function FormDialog({ opened, title, children, isPending, isFirm, onClose, onClosed }: FormDialogProps) {
  const { gate } = useConnection();
  return (
    <Dialog
      opened={opened}
      onClose={() => {
        if (gate.need() === undefined) onClose();
      }}
      title={title}
      closeOnEscape={!isPending && !isFirm}
      withCloseButton={false}
      {...(onClosed !== undefined && { onExitTransitionEnd: onClosed })}
    >
      {children}
    </Dialog>
  );
}

export interface DialogFormProps {
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
  /** "Rename organization". */
  readonly submitLabel: string;
  readonly isPending: boolean;
  /** What was not the fault of a field. */
  readonly problem: unknown;
  /** What did not happen: "The name was not changed"; the problem's own title unless stated. */
  readonly problemTitle?: string;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** Fields, what went wrong, and the buttons. What was typed stays until it is sent; what is under way is not sent twice. */
export function DialogForm(props: DialogFormProps) {
  const { onSubmit, submitLabel, isPending, problem, problemTitle, onCancel, children } = props;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (isPending) event.preventDefault();
    else onSubmit(event);
  };
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      {children}
      <ProblemNote error={problem} {...(problemTitle !== undefined && { title: problemTitle })} />
      <div className={classes.actions}>
        <Button variant="default" onClick={onCancel} disabled={isPending}>
          Cancel
        </Button>
        <Button type="submit" loading={isPending}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}
