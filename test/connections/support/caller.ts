import type { Stores } from "../../../lib/stores/stores.ts";
import { startSetting, WANT } from "./setting.ts";

/** What a caller is told. */
export interface CallerOptions {
  readonly folder: string;
  /** Of the provider. */
  readonly url: string;
  /** How much later than the start of all clocks it is, milliseconds. */
  readonly later: number;
  /** Milliseconds. */
  readonly grace: number;
  /** Where it stands still, for somebody to kill it: when the intent is durable, or just before the outcome would be. */
  readonly standsAt?: "intent" | "outcome";
  /** Says so when it looks at the record again because of somebody else's lease. */
  readonly tellsWaiting?: boolean;
}

/** What it says, a line each. */
export type CallerLine = { readonly at: "intent" | "outcome" | "waiting" } | { readonly got: unknown };

/** A process that makes one call with Alice's connection: `node caller.ts '{…}'`. */
const { folder, url, later, grace, standsAt, tellsWaiting } = JSON.parse(process.argv[2] ?? "") as CallerOptions;
const noGrant = () => {
  throw new Error("a caller connects nobody");
};
const setting = startSetting({ url, grant: noGrant }, { grace, timeout: 10_000 }, folder);
const { connections } = setting.stores;

function say(line: CallerLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Keeps the process alive, and its promise open. */
function standStill(at: "intent" | "outcome"): Promise<never> {
  say({ at });
  return new Promise(() => void setInterval(() => undefined, 60_000));
}

/** The store up to where the process stands still. */
function standing(): Partial<Stores["connections"]> {
  if (standsAt === "outcome") return { settleRefresh: () => standStill("outcome") };
  if (standsAt === undefined) return {};
  return {
    beginRefresh: async (intent) => {
      await connections.beginRefresh(intent);
      return standStill("intent");
    },
  };
}

let looks = 0;
const connection: Stores["connections"]["connection"] = (key) => {
  looks++;
  // One for the call, one for the attempt, and then each because of a lease.
  if (tellsWaiting === true && looks === 4) say({ at: "waiting" });
  return connections.connection(key);
};
const stores = { connections: { ...connections, connection, ...standing() } };
say({ got: await setting.process({ ahead: later, stores }).obtain(WANT, setting.request) });
await setting.settled();
setting.close();
