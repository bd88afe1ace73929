import type { Connection } from "./connection.ts";

/** A connection, for one request. */
export interface Lease {
  readonly connection: Connection;
  /** Whether requests before this one used it. */
  readonly isUsed: boolean;
  end(): void;
}

/** Connections that stay open between requests: what an upstream keeps for one (a browser, a shell) goes with it. */
export interface HeldConnections {
  use(key: string): Lease | undefined;
  /**
   * Keeps a connection. Of several for one key the first stays, and is the one that is to be used. Undefined: there is no
   * room.
   *
   * @param leaving aborts when nothing is to be kept any more: the connection is closed once nothing runs on it
   */
  keep(key: string, connection: Connection, leaving?: AbortSignal): Lease | undefined;
}

export interface HoldingLimits {
  readonly connections: number;
  /** How long one may be idle, milliseconds. */
  readonly idle: number;
}

const LIMITS: HoldingLimits = { connections: 1_000, idle: 5 * 60_000 };

interface Held {
  readonly connection: Connection;
  readonly leaving: AbortSignal | undefined;
  users: number;
  timer?: ReturnType<typeof setTimeout>;
}

/** In the memory of the process. Where there is no room, the one that is idle for the longest time makes some. */
export function localConnections({ connections: limit, idle }: HoldingLimits = LIMITS): HeldConnections {
  /** From the one that was used longest ago. */
  const all = new Map<string, Held>();

  function lease(key: string, held: Held, isUsed: boolean): Lease {
    const { connection, leaving } = held;
    held.users += 1;
    clearTimeout(held.timer);
    all.delete(key);
    all.set(key, held);
    const end = (): void => {
      held.users -= 1;
      if (held.users > 0 || connection.closed.aborted) return;
      if (leaving?.aborted) connection.close();
      else held.timer = setTimeout(connection.close, idle);
    };
    return { connection, isUsed, end };
  }

  function use(key: string): Lease | undefined {
    const held = all.get(key);
    return held === undefined || held.connection.closed.aborted ? undefined : lease(key, held, true);
  }

  function hasRoom(): boolean {
    if (all.size < limit) return true;
    const idlest = [...all.values()].find(({ users }) => users === 0);
    idlest?.connection.close();
    return idlest !== undefined;
  }

  return {
    use,
    keep: (key, connection, leaving) => {
      const first = use(key);
      if (first !== undefined) return first;
      if (connection.closed.aborted || leaving?.aborted || !hasRoom()) return undefined;
      const held: Held = { connection, leaving, users: 0 };
      const { closed, close } = connection;
      const forget = (): void => {
        clearTimeout(held.timer);
        if (all.get(key) === held) all.delete(key);
      };
      closed.addEventListener("abort", forget, { once: true });
      const leave = (): void => {
        if (held.users === 0) close();
      };
      leaving?.addEventListener("abort", leave, { once: true, signal: closed });
      return lease(key, held, false);
    },
  };
}
