import { createContext, type RefObject, useContext, useEffect, useRef } from "react";

/** Whether the person has moved within the Console since it was loaded. */
export const NavigationContext = createContext<RefObject<boolean>>({ current: false });

const PRODUCT = "Countersign";

/**
 * Names the document after the page, and moves the focus to its heading when the person came from another page: so that
 * a screen reader says where they are, unless they are in a dialog by then. After loading, the focus stays where browsers put it.
 */
export function usePageArrival(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const hasMoved = useContext(NavigationContext);
  useEffect(() => {
    document.title = `${title} · ${PRODUCT}`;
  }, [title]);
  useEffect(() => {
    if (!hasMoved.current) return;
    window.scrollTo(0, 0);
    // A page may come after the person has gone on, to a dialog: what they write there stays there.
    if (document.activeElement?.closest('[aria-modal="true"]')) return;
    heading.current?.focus({ preventScroll: true });
  }, [hasMoved]);
  return heading;
}
