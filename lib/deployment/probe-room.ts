import type { Clock } from "../kernel/clock.ts";

/** How many addresses are asked at once, of one process. */
export interface ProbeRoom {
  /** Ends it, once or more often. Undefined: as many are under way as may be. */
  begin(): (() => void) | undefined;
}

const MOST = 2;
/** Milliseconds after which one counts no more: a runtime may have ended its request without a word. */
export const LONGEST_PROBE = 60_000;

export function createProbeRoom(clock: Clock): ProbeRoom {
  const begun = new Set<{ readonly at: number }>();
  return {
    begin: () => {
      for (const probe of begun) if (Math.abs(clock.now() - probe.at) > LONGEST_PROBE) begun.delete(probe);
      if (begun.size >= MOST) return undefined;
      const probe = { at: clock.now() };
      begun.add(probe);
      return () => void begun.delete(probe);
    },
  };
}
