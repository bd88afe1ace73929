import { boundedCache } from "../kernel/bounded-cache.ts";
import type { Clock } from "../kernel/clock.ts";

export type Generation = "session" | "stateless";

/** Which generation upstreams speak, as far as was learnt of late. An upstream may answer each caller in its own way. */
export interface Generations {
  /** What is known; of one that speaks both, that of the agent (D4: the same generation end to end). */
  known(app: string, principal: string, preferred: Generation): Generation | undefined;
  learn(app: string, principal: string, generation: Generation, speaks: boolean): void;
}

interface Learnt {
  readonly speaks: Readonly<Partial<Record<Generation, boolean>>>;
  readonly until: number;
}

/** Upstreams are replaced by newer ones; milliseconds. */
const LIFETIME = 10 * 60_000;
const CAPACITY = 10_000;

export function createGenerations(clock: Clock): Generations {
  const learnt = boundedCache<string, Learnt>(CAPACITY);
  const keyOf = (app: string, principal: string) => JSON.stringify([app, principal]);
  const read = (key: string) => {
    const entry = learnt.get(key);
    return entry !== undefined && clock.now() < entry.until ? entry.speaks : {};
  };
  return {
    known: (app, principal, preferred) => {
      const speaks = read(keyOf(app, principal));
      const other = preferred === "session" ? "stateless" : "session";
      if (speaks[preferred] === true) return preferred;
      return speaks[preferred] === false && speaks[other] === true ? other : undefined;
    },
    learn: (app, principal, generation, does) => {
      const key = keyOf(app, principal);
      learnt.put(key, { speaks: { ...read(key), [generation]: does }, until: clock.now() + LIFETIME });
    },
  };
}
