import { useState } from "react";

/** What a dialog is about. It stays while the dialog closes, so that no words change under the eye. */
export interface Subject<Value> {
  readonly value: Value | undefined;
  readonly isOpen: boolean;
  readonly open: (value: Value) => void;
  readonly close: () => void;
}

/** For one dialog that asks about any row of a list. */
export function useSubject<Value>(): Subject<Value> {
  const [value, setValue] = useState<Value>();
  const [isOpen, setOpen] = useState(false);
  return {
    value,
    isOpen,
    open: (next) => {
      setValue(next);
      setOpen(true);
    },
    close: () => setOpen(false),
  };
}
