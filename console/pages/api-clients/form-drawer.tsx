import { Drawer } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";

export interface FormDrawerProps {
  readonly opened: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** The form. `close` asks first when `setDirty` said that something is typed. */
  readonly children: (drawer: FormDrawerHandle) => ReactNode;
}

export interface FormDrawerHandle {
  readonly close: () => void;
  readonly setDirty: (isDirty: boolean) => void;
  /** Closes without asking: everything is saved. */
  readonly done: () => void;
}

/** A form beside its page. Nothing that was typed is thrown away without asking. */
export function FormDrawer({ opened, title, onClose, children }: FormDrawerProps) {
  const [isDirty, setDirty] = useState(false);
  const [isAsking, setAsking] = useState(false);
  // Later, or the press of Escape that opens the question also closes it.
  const ask = () => setTimeout(() => setAsking(true));
  const close = () => (isDirty ? void ask() : onClose());
  const done = () => {
    setAsking(false);
    setDirty(false);
    onClose();
  };
  return (
    <>
      <Drawer
        opened={opened}
        onClose={close}
        title={title}
        position="right"
        size="34rem"
        closeOnClickOutside={!isDirty}
        closeOnEscape={!isAsking}
        trapFocus={!isAsking}
      >
        {children({ close, setDirty, done })}
      </Drawer>
      <ConfirmDialog
        opened={isAsking}
        title="Discard what you entered?"
        confirmLabel="Discard"
        isPending={false}
        onConfirm={done}
        onClose={() => setAsking(false)}
      >
        Nothing of it has been saved.
      </ConfirmDialog>
    </>
  );
}
