import { pollUntil } from "../kernel/timers.ts";
import type { ConnectionRecord } from "../stores/connections.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import {
  keyOf,
  nameOf,
  RENEWED_BEFORE,
  type RefreshPorts,
  supplyTokens,
  type TokenNeed,
  type TokenSupply,
} from "./refresh.ts";

/** Tokens of a connection as a call found it. @throws StoreUnavailableError */
export type Supply = (
  found: ConnectionRecord,
  need: TokenNeed,
  request: Pick<RequestContext, "waitUntil">,
) => Promise<TokenSupply>;

/**
 * Supplies calls of one process with tokens. One call of it renews a connection. It goes on where its client leaves, as a token that is
 * spent cannot be spent again. The others have the former access token while that lives, and wait otherwise.
 */
export function createTokenSupply(ports: RefreshPorts): Supply {
  const { clock, stores } = ports;
  /** Until when a call renews the connection: the others look at what came of it. */
  const renewing = new Map<string, number>();

  return async (found, need, request) => {
    const { expiresAt = Number.POSITIVE_INFINITY } = found;
    const left = need.refused === undefined ? expiresAt - clock.now() : 0;
    if (left >= RENEWED_BEFORE) return supplyTokens(found, found, need, ports);
    const name = nameOf(found);
    const isOver = () => !((renewing.get(name) ?? 0) > clock.now());
    let record: ConnectionRecord | undefined = found;
    if (!isOver()) {
      if (left > 0) return former(found, ports);
      await pollUntil(isOver, need.connector.refresh.timeout);
      record = await stores.connections.connection(keyOf(found));
    }
    renewing.set(name, clock.now() + need.connector.refresh.timeout);
    const work = supplyTokens(found, record, need, ports).finally(() => renewing.delete(name));
    request.waitUntil(work.then(ignore, ignore));
    return work;
  };
}

async function former(record: ConnectionRecord, { open }: Pick<RefreshPorts, "open">): Promise<TokenSupply> {
  const tokens = await open(record);
  return tokens === undefined ? { kind: "reconnect" } : { kind: "usable", record, tokens };
}

function ignore(): void {
  // Whoever waits for it has the failure.
}
