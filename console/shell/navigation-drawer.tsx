import { Drawer } from "@mantine/core";
import { Brand } from "./brand.tsx";
import { useOpenedOnceThere } from "./loaded-later.tsx";
import classes from "./shell.module.css";
import { Sidebar } from "./sidebar.tsx";

export interface NavigationDrawerProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onSearch: () => void;
}

/** The sidebar where the window is narrow. */
export function NavigationDrawer({ opened, onClose, onSearch }: NavigationDrawerProps) {
  return (
    <Drawer
      opened={useOpenedOnceThere(opened)}
      onClose={onClose}
      title={<Brand />}
      size="17rem"
      padding="md"
      classNames={{ body: classes.drawer }}
    >
      <Sidebar isInDrawer onSearch={onSearch} />
    </Drawer>
  );
}
