import { setTimeout as pause } from "node:timers/promises";
import type { HttpClient } from "./http.ts";
import type { Assertion, Grants, JournalWriter } from "./journal.ts";
import type { Secrets } from "./secrets.ts";

/** A key as the driver holds it. */
export interface KnownKey {
  readonly keyPairId: string;
  /** What its assertions may name it by. */
  readonly fingerprint: string;
  readonly privateKey: CryptoKey;
  /** Its revocation was asked for. */
  revoked: boolean;
}

export interface KnownClient {
  readonly clientId: string;
  readonly keys: KnownKey[];
  /** As asked for last. */
  grants: Grants;
  /** Its deletion was asked for. */
  deleted: boolean;
  /** The owner changes one client by one request at a time. */
  changing: boolean;
}

/** An assertion that can be presented again. */
export interface SignedAssertion {
  readonly assertion: Assertion;
  readonly text: string;
}

export interface KnownToken {
  readonly name: string;
  readonly text: string;
  readonly client: KnownClient;
}

/** Lets the driver know when the server answers. */
export interface Gate {
  open(): void;
  close(): void;
  /** Lets nobody pass for so long, milliseconds. */
  rest(time: number): Promise<void>;
  /** Resolves when it is open, or after the time: some requests are to meet a server that is not there yet. */
  pass(within: number): Promise<void>;
}

/** What the actors share. */
export interface World {
  readonly url: string;
  readonly http: HttpClient;
  readonly journal: JournalWriter;
  readonly secrets: Secrets;
  readonly gate: Gate;
  /** Deleted ones stay: their keys and tokens are presented on. */
  readonly clients: KnownClient[];
  readonly tokens: KnownToken[];
  readonly presented: SignedAssertion[];
  /** `name=value`, once the owner is set up. */
  cookie: string;
  /** How many assertions have been signed. */
  signed: number;
  /** The run has failed: nothing is worth repeating. */
  failed: boolean;
}

export function gate(): Gate {
  let opened = Promise.withResolvers<void>();
  let rested: Promise<void> = Promise.resolve();
  return {
    open: () => opened.resolve(),
    close: () => {
      opened = Promise.withResolvers<void>();
    },
    rest: (time) => {
      rested = pause(time);
      return rested;
    },
    pass: async (within) => {
      await rested;
      await Promise.race([opened.promise, pause(within)]);
    },
  };
}
