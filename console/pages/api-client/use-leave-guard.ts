import { useEffect, useEffectEvent, useRef } from "react";

/** Marks the entry of the browser's history that the back button takes away instead of the page. */
const MARK = "countersign-leave-guard";

/**
 * While it is on, the browser asks before it closes or reloads the page, and its back button calls `onAttempt` instead of
 * leaving.
 */
export function useLeaveGuard(isOn: boolean, onAttempt: () => void): void {
  const attempt = useEffectEvent(onAttempt);
  const isHolding = useRef(false);
  useEffect(() => {
    if (!isOn) return;
    const hold = () => {
      if (history.state !== MARK) history.pushState(MARK, "");
    };
    const onBack = () => {
      hold();
      attempt();
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    hold();
    isHolding.current = true;
    window.addEventListener("popstate", onBack);
    window.addEventListener("beforeunload", onUnload);
    return () => {
      isHolding.current = false;
      window.removeEventListener("popstate", onBack);
      window.removeEventListener("beforeunload", onUnload);
      // Later, for it may be on again at once.
      setTimeout(() => !isHolding.current && history.state === MARK && history.back());
    };
  }, [isOn]);
}
