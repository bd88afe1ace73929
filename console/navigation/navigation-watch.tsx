import { type ReactNode, useRef } from "react";
import { useLocation } from "wouter";
import { NavigationContext } from "./arrival.ts";

/** Remembers that the person has moved within the Console, for pages that are about to take the focus. */
export function NavigationWatch({ children }: { readonly children: ReactNode }) {
  const [page] = useLocation();
  const first = useRef(page);
  const hasMoved = useRef(false);
  if (page !== first.current) hasMoved.current = true;
  return <NavigationContext value={hasMoved}>{children}</NavigationContext>;
}
