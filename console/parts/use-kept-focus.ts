import { useEffect, useRef } from "react";

/**
 * Where the keyboard goes on after a dialog, though what opened it may be gone by then, or go a little later: to the opener
 * as long as it is there, else to what is left to do in its row, to the heading of its section, to the page's own
 * (WCAG 2.2, 2.4.3).
 */
export function useKeptFocus(isOpen: boolean): void {
  const wasOpen = useRef(false);
  const places = useRef<Places>({});
  if (isOpen && !wasOpen.current) places.current = placesOf(document.activeElement);
  wasOpen.current = isOpen;
  useEffect(() => {
    if (!isOpen) return;
    const { current } = places;
    return () => keepFocus(current);
  }, [isOpen]);
}

interface Places {
  readonly opener?: HTMLElement;
  readonly row?: Element | null;
  readonly section?: Element | null;
}

/** The item of a menu stands for the button that opened the menu, which stays. */
function placesOf(active: Element | null): Places {
  const menu = active?.closest('[role="menu"]')?.getAttribute("aria-labelledby");
  const opener = typeof menu === "string" ? document.getElementById(menu) : active;
  if (!(opener instanceof HTMLElement) || opener === document.body) return {};
  return { opener, row: opener.closest("tr"), section: opener.closest("section") };
}

/** Lists are read again after the dialog is closed: it looks until the person, or a page, puts the focus elsewhere. */
function keepFocus(places: Places): void {
  const over = new AbortController();
  const { signal } = over;
  const look = () => {
    if (isLost()) nextPlace(places)?.focus();
  };
  const observer = new MutationObserver(look);
  signal.addEventListener("abort", () => observer.disconnect());
  document.addEventListener("pointerdown", () => over.abort(), { capture: true, signal });
  document.addEventListener("focusin", ({ target }) => target !== places.opener && over.abort(), { signal });
  observer.observe(document.body, { childList: true, subtree: true });
  look();
}

/** Nothing has the focus, and no dialog is about to. */
function isLost(): boolean {
  const { activeElement, body } = document;
  return (activeElement === null || activeElement === body) && document.querySelector('[aria-modal="true"]') === null;
}

function nextPlace({ opener, row, section }: Places): HTMLElement | null | undefined {
  if (opener?.isConnected && !opener.matches(":disabled")) return opener;
  const control = row?.isConnected && row.querySelector<HTMLElement>("button:enabled, a[href]");
  if (control) return control;
  const heading = section?.isConnected && section.querySelector<HTMLElement>("h2");
  return heading || document.querySelector<HTMLElement>("main h1");
}
