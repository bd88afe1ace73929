import { boundedCache } from "../../kernel/bounded-cache.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { WaitUntil } from "../../kernel/refreshing-cache.ts";
import { pollUntil } from "../../kernel/timers.ts";
import type { ExchangeOutcome } from "./exchange.ts";

type Obtained = Extract<ExchangeOutcome, { readonly outcome: "obtained" }>;

/** A token toward an upstream, or why there is none. */
export type KeptOutcome = Pick<Obtained, "outcome" | "token"> | Exclude<ExchangeOutcome, Obtained>;

/** What is kept of exchanges, by who asked for what. */
export interface KeptCredentials {
  /** The token that is kept, or what the exchange brings; of many that ask for one at once mostly one exchanges (D29). */
  get(key: string, terms: KeepTerms): Promise<KeptOutcome>;
  /** Forgets a token that its upstream refused, unless another has taken its place. */
  forget(key: string, token: string): void;
}

export interface KeepTerms {
  /** Milliseconds; nothing is kept for longer, whatever its server says. */
  readonly ttl: number;
  readonly exchange: () => Promise<ExchangeOutcome>;
  /** The exchange goes on when the request that began it ends early: others wait for it. */
  readonly waitUntil: WaitUntil;
}

interface Credential {
  readonly token: string;
  /** A clock that was set back ends what is kept. */
  readonly from: number;
  readonly until: number;
}

/** An exchange under way: what it brought, once it has. Its promise belongs to the request that began it. */
interface UnderWay {
  readonly beganAt: number;
  result?: KeptOutcome;
}

/** A token takes about 2 kB. */
const CAPACITY = 5_000;
/** Not used any more for so long before it expires, milliseconds, where that leaves half of its life. */
const MARGIN = 5_000;
/** An exchange that takes longer is lost: its request was ended. Milliseconds. */
const PATIENCE = 15_000;

export function createKeptCredentials(clock: Clock, capacity = CAPACITY): KeptCredentials {
  const credentials = boundedCache<string, Credential>(capacity);
  const exchanges = boundedCache<string, UnderWay>(capacity);

  function known(key: string): Credential | undefined {
    const credential = credentials.get(key);
    if (credential === undefined) return undefined;
    const now = clock.now();
    if (credential.from <= now && now < credential.until) return credential;
    credentials.delete(key);
    return undefined;
  }

  function underWay(key: string): UnderWay | undefined {
    const other = exchanges.get(key);
    return other !== undefined && Math.abs(clock.now() - other.beganAt) <= PATIENCE ? other : undefined;
  }

  /** What it brings is theirs who wait for it, also where it is a refusal. */
  async function outcomeOf(other: UnderWay): Promise<KeptOutcome | undefined> {
    await pollUntil(() => other.result !== undefined, PATIENCE);
    return other.result;
  }

  async function begin(key: string, { ttl, exchange, waitUntil }: KeepTerms): Promise<KeptOutcome> {
    const mine: UnderWay = { beganAt: clock.now() };
    exchanges.put(key, mine);
    const work = exchange().then((outcome) => {
      if (outcome.outcome === "obtained") storeCredential(key, outcome, mine.beganAt, ttl);
      mine.result = outcome;
    });
    waitUntil(work);
    try {
      await work;
    } finally {
      if (exchanges.get(key) === mine) exchanges.delete(key);
    }
    return mine.result as KeptOutcome;
  }

  function storeCredential(key: string, { token, expiresIn }: Obtained, from: number, ttl: number): void {
    if (expiresIn === undefined) return;
    const lifetime = Math.min(ttl, expiresIn * 1_000);
    credentials.put(key, { token, from, until: from + Math.max(lifetime - MARGIN, lifetime / 2) });
  }

  return {
    async get(key, terms) {
      const credential = known(key);
      if (credential !== undefined) return { outcome: "obtained", token: credential.token };
      // Nothing is awaited between this look and the beginning, so that of many only one begins.
      const other = underWay(key);
      return (other && (await outcomeOf(other))) ?? begin(key, terms);
    },
    forget: (key, token) => {
      if (credentials.get(key)?.token === token) credentials.delete(key);
    },
  };
}
