import { type ReactNode, Suspense, useEffect, useState } from "react";
import { ErrorBoundary } from "./error-boundary.tsx";

/**
 * Loads what a first look at the Console does not need with the first key or click: so it is there when it is needed, also
 * if the server is not.
 *
 * @param load the same function each time
 */
export function useLoadOnTouch(load: () => Promise<unknown>): void {
  useEffect(() => {
    const over = new AbortController();
    const begin = () => {
      over.abort();
      load().catch(() => {
        // It is loaded again when it is needed, which tells of what fails then.
      });
    };
    const options = { capture: true, signal: over.signal };
    for (const event of ["pointerdown", "keydown"]) addEventListener(event, begin, options);
    return () => over.abort();
  }, [load]);
}

interface OnceNeededProps {
  readonly isNeeded: boolean;
  /** Made with `lazy`. */
  readonly children: ReactNode;
}

/** What is not loaded before it is needed, and stays from then on. */
export function OnceNeeded({ isNeeded, children }: OnceNeededProps) {
  const [wasNeeded, setWasNeeded] = useState(isNeeded);
  if (isNeeded && !wasNeeded) setWasNeeded(true);
  if (!wasNeeded) return null;
  return (
    <ErrorBoundary>
      <Suspense fallback={null}>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** Of a dialog that is loaded when it is to open: it opens after it is there, and can tell then where the focus was before. */
export function useOpenedOnceThere(opened: boolean): boolean {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(opened), [opened]);
  return isOpen;
}
