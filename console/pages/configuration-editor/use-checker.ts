import { useEffect, useState, useSyncExternalStore } from "react";
import { type Checker, type CheckState, createChecker } from "../../configuration-check/checker.ts";

/** A checker that ends with the page, and how it goes. */
export function useChecker(): { readonly checker: Checker; readonly state: CheckState } {
  const [checker] = useState(() => createChecker(startWorker));
  useEffect(() => checker.close, [checker]);
  return { checker, state: useSyncExternalStore(checker.subscribe, checker.state) };
}

/** The build finds the worker by these very words. */
function startWorker(): Worker {
  return new Worker(new URL("../../configuration-check/worker.ts", import.meta.url), { type: "module" });
}
