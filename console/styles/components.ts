import type { MantineThemeComponents } from "@mantine/core";

const CONTROL = { size: "sm" } as const;

/** What Mantine's components are like when nothing else is said. Heights of controls are in `global.css`. */
export const COMPONENTS: MantineThemeComponents = {
  Button: { defaultProps: CONTROL },
  TextInput: { defaultProps: CONTROL },
  Textarea: { defaultProps: CONTROL },
  Select: { defaultProps: { ...CONTROL, allowDeselect: false } },
  NativeSelect: { defaultProps: CONTROL },
  MultiSelect: { defaultProps: CONTROL },
  TagsInput: { defaultProps: CONTROL },
  Checkbox: { defaultProps: { size: "xs" } },
  Switch: { defaultProps: { size: "sm" } },
  Radio: { defaultProps: { size: "xs" } },
  SegmentedControl: { defaultProps: { size: "xs" } },
  ActionIcon: { defaultProps: { variant: "subtle", color: "gray", size: "md" } },
  CloseButton: { defaultProps: { "aria-label": "Close" } },
  Menu: {
    // Without the placeholder, which no menu may have in it (WAI-ARIA 1.2, menu), the focus begins at the first item.
    defaultProps: { shadow: "md", transitionProps: { duration: 80 }, withInitialFocusPlaceholder: false },
  },
  Tooltip: {
    defaultProps: {
      openDelay: 250,
      transitionProps: { duration: 80 },
      events: { hover: true, focus: true, touch: true },
    },
  },
  Modal: {
    defaultProps: {
      centered: true,
      padding: "lg",
      radius: "lg",
      closeButtonProps: { "aria-label": "Close" },
      overlayProps: { backgroundOpacity: 0.45 },
      transitionProps: { duration: 120 },
    },
  },
  // A header element would be a landmark of the page, and of each dialog that opens over another one.
  ModalHeader: { defaultProps: { role: "none" } },
  DrawerHeader: { defaultProps: { role: "none" } },
  Drawer: {
    defaultProps: { padding: "lg", closeButtonProps: { "aria-label": "Close" }, transitionProps: { duration: 140 } },
  },
  Text: { defaultProps: { size: "md" } },
  Tabs: { defaultProps: { keepMounted: false } },
};
