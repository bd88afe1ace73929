import { Button, TextInput } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";
import classes from "./confirm-dialog.module.css";
import { Dialog } from "./dialog.tsx";
import { ForeignText, visibleText } from "./foreign-text.tsx";
import { ProblemNote } from "./problem-note.tsx";

export interface ConfirmDialogProps {
  readonly opened: boolean;
  /** A question: "Revoke this key pair?" */
  readonly title: string;
  /** What stops working, and whether it can be undone. */
  readonly children: ReactNode;
  /** Says what happens: "Revoke key pair". */
  readonly confirmLabel: string;
  /** The button works only once this name is typed. */
  readonly typeToConfirm?: string;
  /** Nothing is destroyed: the button is not red. */
  readonly isHarmless?: boolean;
  readonly isPending: boolean;
  /** Of the last attempt. */
  readonly error?: unknown;
  /** What did not happen: "The key pair was not revoked"; the problem's own title unless stated. */
  readonly problemTitle?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is destroyed. Enter does not destroy, and a click beside the dialog does not close it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, isPending, onClose, title } = props;
  return (
    <Dialog opened={opened} onClose={onClose} title={title} closeOnEscape={!isPending} withCloseButton={false}>
      <Question {...props} />
    </Dialog>
  );
}

/** Its state goes with the dialog. */
function Question(props: ConfirmDialogProps) {
  const { children, confirmLabel, typeToConfirm, isHarmless, isPending, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const isUnlocked = typeToConfirm === undefined || namesOf(typeToConfirm).includes(typed.trim());
  return (
    <div className={classes.question}>
      <div className={classes.words}>{children}</div>
      {typeToConfirm !== undefined && <NameField name={typeToConfirm} typed={typed} onType={setTyped} />}
      <Problem {...props} />
      <div className={classes.actions}>
        <Button
          variant="default"
          onClick={onClose}
          disabled={isPending}
          data-autofocus={typeToConfirm === undefined || undefined}
        >
          Cancel
        </Button>
        <Button {...(!isHarmless && DESTROYS)} onClick={onConfirm} loading={isPending} disabled={!isUnlocked}>
          {confirmLabel}
        </Button>
      </div>
    </div>
  );
}

const DESTROYS = { color: "red" } as const;

/** As it is, and as it is shown: nobody can type what is not seen. */
function namesOf(name: string): readonly string[] {
  return [name.trim(), visibleText(name).trim()];
}

function Problem({ error, problemTitle }: Pick<ConfirmDialogProps, "error" | "problemTitle">) {
  return <ProblemNote error={error} {...(problemTitle !== undefined && { title: problemTitle })} />;
}

interface NameFieldProps {
  readonly name: string;
  readonly typed: string;
  readonly onType: (text: string) => void;
}

function NameField({ name, typed, onType }: NameFieldProps) {
  const id = useId();
  return (
    <TextInput
      id={id}
      label={
        <>
          Type{" "}
          <strong>
            <ForeignText text={name} />
          </strong>{" "}
          to confirm
        </>
      }
      value={typed}
      onChange={(event) => onType(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
    />
  );
}
