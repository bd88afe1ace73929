import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import { useKeptFocus } from "./use-kept-focus.ts";

export interface DetailsDrawerProps {
  readonly opened: boolean;
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Details of one row beside its list. The focus stays inside, and goes back to where it was. */
export function DetailsDrawer({ opened, title, onClose, children }: DetailsDrawerProps) {
  useKeptFocus(opened);
  return (
    <Drawer opened={opened} onClose={onClose} title={title} position="right" size="30rem">
      {children}
    </Drawer>
  );
}
