/** Menus of the sidebar stay inside it, so that they belong to its landmark, and are laid out over what it cuts off. */
export const SIDEBAR_MENU = { width: "target", withinPortal: false, floatingStrategy: "fixed" } as const;
