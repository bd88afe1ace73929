import { boundedCache } from "../../kernel/bounded-cache.ts";
import type { Clock } from "../../kernel/clock.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { Generation } from "../generations.ts";

/** What an upstream says of itself to a client. */
export interface Introduction {
  readonly capabilities: JsonObject;
  /** For models; an upstream wrote it. */
  readonly instructions?: string;
}

/** What upstreams said of themselves of late, each to whom and in which generation: one that speaks both may offer different things. */
export interface Introductions {
  get(app: string, principal: string, generation: Generation): Introduction | undefined;
  /** @param said the result of `initialize` or `server/discover` */
  learn(app: string, principal: string, generation: Generation, said: JsonObject): void;
}

interface Learnt {
  readonly introduction: Introduction;
  readonly until: number;
}

/** Milliseconds. */
const LIFETIME = 10 * 60_000;
const CAPACITY = 1_000;
/** Characters. */
const LONGEST_INSTRUCTIONS = 32 * 1024;

export function createIntroductions(clock: Clock): Introductions {
  const learnt = boundedCache<string, Learnt>(CAPACITY);
  const keyOf = (app: string, principal: string, generation: Generation) =>
    JSON.stringify([app, principal, generation]);
  return {
    get: (app, principal, generation) => {
      const entry = learnt.get(keyOf(app, principal, generation));
      return entry !== undefined && clock.now() < entry.until ? entry.introduction : undefined;
    },
    learn: (app, principal, generation, said) =>
      learnt.put(keyOf(app, principal, generation), {
        introduction: introductionIn(said),
        until: clock.now() + LIFETIME,
      }),
  };
}

function introductionIn({ capabilities, instructions }: JsonObject): Introduction {
  return {
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    ...(typeof instructions === "string" && { instructions: instructions.slice(0, LONGEST_INSTRUCTIONS) }),
  };
}
