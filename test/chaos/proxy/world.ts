import type { Random } from "../random.ts";
import type { Gate } from "../world.ts";
import type { GatewayProcess } from "./gateway-process.ts";
import type { JournalWriter } from "./journal.ts";
import type { UpstreamProcess } from "./upstream-process.ts";

/** What the actors share. */
export interface World {
  readonly folder: string;
  readonly gateway: GatewayProcess;
  readonly upstreams: readonly UpstreamProcess[];
  readonly journal: JournalWriter;
  readonly random: Random;
  /** Open while the gateway answers. */
  readonly gate: Gate;
  /** A token of an agent, by its user and client. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Of the gateway, as it was seen; MiB. */
  readonly memory: number[];
  nonces: number;
}

/** Text that no other call of the run has. */
export function newNonce(world: World): string {
  world.nonces += 1;
  return `n${world.nonces}`;
}
