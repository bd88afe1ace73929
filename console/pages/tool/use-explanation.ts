import { useEffect, useRef, useState } from "react";
import { useConnection } from "../../api/context.ts";
import type { Tried } from "../../configuration-trial/protocol.ts";
import type { Trial as Explainer } from "../../configuration-trial/trial.ts";
import { createTrial } from "../../configuration-trial/trial.ts";
import { inUseWithTools, startWorker } from "../configuration-trial/use-trial.ts";

/** Explains what would be decided on a call, with the configuration that is in use; undefined where the person cannot read it. */
export type Explain = (call: {
  readonly claims: object;
  readonly tool: string;
  readonly args: object;
}) => Promise<Tried | undefined>;

/**
 * The browser computes it, as it does for drafts. The worker ends with the page.
 *
 * @param mayRead whether the configuration is shown to the person
 */
export function useExplanation(mayRead: boolean): Explain {
  const { api } = useConnection();
  const explainer = useRef<Promise<Explainer | undefined>>(undefined);
  const [started] = useState<Set<Explainer>>(() => new Set());
  useEffect(
    () => () => {
      for (const one of started) one.stop();
    },
    [started],
  );
  const start = async () => {
    const inUse = await inUseWithTools(api);
    if (inUse?.catalogs === undefined) return undefined;
    const made = createTrial({ draft: undefined, inUse }, startWorker);
    started.add(made);
    return made;
  };
  return async ({ claims, tool, args }) => {
    if (!mayRead) return undefined;
    explainer.current ??= start();
    const made = await explainer.current;
    if (made === undefined) return undefined;
    const caller = { kind: "claims", claims: JSON.stringify(claims) } as const;
    const call = { caller, tool, arguments: JSON.stringify(args) };
    return (await made.ask({ kind: "explain", call, variables: {} })).draft;
  };
}
