import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** What an assertion is known by. All presentations of one `jti` of a client share what may be accepted once. */
export interface Assertion {
  readonly client: string;
  readonly key: string;
  readonly jti: string;
}

/** What the owner allows a client. */
export interface Grants {
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
}

/** A request, without anything secret. Tokens go by names that the driver gives them. */
export type Operation =
  | {
      readonly kind: "token";
      readonly assertion: Assertion;
      readonly scopes?: readonly string[];
      readonly resource?: string;
    }
  | { readonly kind: "introspect"; readonly token: string; readonly assertion?: Assertion }
  | { readonly kind: "revoke_token"; readonly token: string; readonly assertion: Assertion }
  | { readonly kind: "create_client"; readonly grants: Grants }
  | { readonly kind: "change_grants"; readonly client: string; readonly grants: Grants }
  | { readonly kind: "add_key"; readonly client: string }
  | { readonly kind: "revoke_key"; readonly client: string; readonly key: string }
  | { readonly kind: "delete_client"; readonly client: string; readonly revokeTokens: boolean };

/** What an answer said. */
export interface Result {
  readonly requestId?: string;
  /** The name of the token that was issued. */
  readonly token?: string;
  readonly scopes?: readonly string[];
  readonly active?: boolean;
  /** The store's id of an active token. */
  readonly tokenId?: string;
  readonly client?: string;
  readonly key?: string;
  /** Error code and description of a refusal. */
  readonly refusal?: string;
}

/** `unsent`: nobody listened. `cut_off`: the connection ended, the request may have had its effect. */
export type Loss = "unsent" | "cut_off" | "timeout";

/**
 * A request and what became of it. Orders are numbers of one count over everything that the driver did or saw: a request
 * whose `sent` is greater than another's `ended` was written to its socket after the other's last byte had come.
 */
export interface Exchange {
  readonly sent: number;
  readonly operation: Operation;
  /** Absent while under way. */
  readonly ended?: number;
  /** Absent when no answer came. */
  readonly status?: number;
  readonly result?: Result;
  readonly loss?: Loss;
}

/** Something that was done to the server. */
export interface Disturbance {
  readonly kind: string;
  /** Whether requests that were under way may have failed: not when the server was asked to let them finish. */
  readonly cutsOff: boolean;
  readonly from: number;
  readonly to: number;
}

/** What the judge reads. */
export interface Journal {
  readonly exchanges: readonly Exchange[];
  readonly disturbances: readonly Disturbance[];
  /** Everything sent from here on was sent after the last restart. */
  readonly lastRestart: number;
}

type Open = { -readonly [Name in keyof Exchange]: Exchange[Name] };

export interface JournalWriter {
  send(operation: Operation): Exchange;
  answer(exchange: Exchange, status: number, result: Result): void;
  lose(exchange: Exchange, loss: Loss): void;
  /** Runs from the moment that the disturbance begins until it is over. */
  disturb<T>(kind: string, cutsOff: boolean, work: () => Promise<T>): Promise<T>;
  markLastRestart(): void;
  readonly journal: Journal;
  readonly file: string;
  close(): void;
}

/** Keeps the journal in memory and writes each line of it to a file as it comes. */
export function journalWriter(file: string): JournalWriter {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, "w");
  const exchanges: Open[] = [];
  const disturbances: Disturbance[] = [];
  const numbers = new Map<Exchange, number>();
  let order = 0;
  let lastRestart = Number.POSITIVE_INFINITY;

  const write = (line: object): number => {
    order += 1;
    writeSync(descriptor, `${JSON.stringify({ order, time: Date.now(), ...line })}\n`);
    return order;
  };
  const end = (exchange: Exchange, change: Pick<Exchange, "status" | "result" | "loss">): void => {
    const ended = write({ exchange: numbers.get(exchange), ...change });
    Object.assign(exchange, change, { ended });
  };
  return {
    send: (operation) => {
      const number = exchanges.length + 1;
      const exchange: Open = { sent: write({ exchange: number, operation }), operation };
      exchanges.push(exchange);
      numbers.set(exchange, number);
      return exchange;
    },
    answer: (exchange, status, result) => end(exchange, { status, result }),
    lose: (exchange, loss) => end(exchange, { loss }),
    disturb: async (kind, cutsOff, work) => {
      const from = write({ disturbance: kind });
      try {
        return await work();
      } finally {
        disturbances.push({ kind, cutsOff, from, to: write({ over: kind, from }) });
      }
    },
    markLastRestart: () => {
      lastRestart = write({ mark: "last restart" });
    },
    get journal() {
      return { exchanges, disturbances, lastRestart };
    },
    file,
    close: () => closeSync(descriptor),
  };
}
