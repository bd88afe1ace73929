import { useEffect, useState } from "react";
import { useLocation, useRouter } from "wouter";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** While something is not saved: asks before a link leads away from it, and lets the browser ask before the page goes. */
export function UnsavedChanges({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const { base } = useRouter();
  const [, navigate] = useLocation();
  const [target, setTarget] = useState<string>();
  useEffect(() => {
    if (!isUnsaved) return;
    const keep = (event: BeforeUnloadEvent) => event.preventDefault();
    const ask = (event: MouseEvent) => {
      const href = targetOf(event, base);
      if (href === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(href);
    };
    window.addEventListener("beforeunload", keep);
    // Before the link itself hears of it.
    document.addEventListener("click", ask, { capture: true });
    return () => {
      window.removeEventListener("beforeunload", keep);
      document.removeEventListener("click", ask, { capture: true });
    };
  }, [isUnsaved, base]);
  return (
    <ConfirmDialog
      opened={target !== undefined}
      title="Leave without saving?"
      confirmLabel="Leave page"
      isPending={false}
      onConfirm={() => target !== undefined && navigate(target)}
      onClose={() => setTarget(undefined)}
    >
      <p>Entries on this page that you have not saved are lost.</p>
    </ConfirmDialog>
  );
}

/** Where a plain click leads within the Console, below its base; undefined: nowhere else. */
function targetOf(event: MouseEvent, base: string): string | undefined {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.target === "_blank" || link.origin !== window.location.origin) return undefined;
  if (!link.pathname.startsWith(`${base}/`) || link.pathname === window.location.pathname) return undefined;
  return link.pathname.slice(base.length) + link.search + link.hash;
}
