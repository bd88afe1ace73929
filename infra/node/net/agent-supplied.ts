import { lookup } from "node:dns/promises";
import { boundedCache } from "../../../lib/kernel/bounded-cache.ts";
import { pollUntil, withTimeout } from "../../../lib/kernel/timers.ts";
import { guardedFetch, guardedRequests } from "../../../lib/net/agent-supplied.ts";
import { OutboundError } from "../../../lib/net/outbound.ts";
import type { AgentSuppliedOptions, PinnedConnections, PinnedOptions } from "./pinned-connections.ts";

/**
 * `agentSuppliedFetch` on Node and Lambda. Each connection resolves its name once, checks every address, and connects to a
 * checked one. A name that resolves to another address a moment later has no effect. Proxies of the environment are not used,
 * because they would resolve the name again, in their own network.
 */
export function agentSuppliedFetch(options: AgentSuppliedOptions = {}): typeof globalThis.fetch {
  return guardedFetch(pinnedFetch(options));
}

/**
 * `publicFetch` on Node and Lambda: connections are made in the same way, but through the proxies of the environment, which are asked for
 * checked addresses (D223).
 */
export function publicFetch(options: PublicFetchOptions = {}): typeof globalThis.fetch {
  return guardedRequests(pinnedFetch(options));
}

type PublicFetchOptions = AgentSuppliedOptions & Pick<PinnedOptions, "proxies">;

function pinnedFetch(options: PublicFetchOptions): typeof globalThis.fetch {
  let loading: Promise<PinnedConnections> | undefined;
  const load = () => {
    loading ??= import("./pinned-connections.ts").then(({ openPinnedConnections }) =>
      openPinnedConnections({ resolve: createNameResolver(), ...options }),
    );
    return loading;
  };
  return async (input, init) => {
    try {
      return await (await load()).fetch(input, init);
    } catch (error) {
      // fetch wraps the error of the connection.
      throw error instanceof Error && error.cause instanceof OutboundError ? error.cause : error;
    }
  };
}

type Lookup = (name: string) => Promise<readonly string[]>;

/**
 * Resolves names as the operating system does, with its file of hosts and its search domains. A question holds one of the four
 * threads that files and signatures of this process need, too, and agents choose the names. So two or three are asked at a time,
 * one of a domain, and a domain that was silent is not asked again for a while.
 *
 * @param lookup for tests, which have no name server that never answers
 * @returns rejects with `OutboundError` where there was no answer in time, and with the system's error where there is no such
 * name
 */
export function createNameResolver(lookup: Lookup = systemLookup): Lookup {
  const asked = new Set<string>();
  const silent = boundedCache<string, number>(MAX_KNOWN);
  const known = boundedCache<string, true>(MAX_KNOWN);
  return async (name) => {
    const domain = domainOf(name);
    if ((silent.get(domain) ?? 0) > performance.now()) throw new OutboundError(UNANSWERED);
    const room = known.get(domain) ? MAX_ASKED + 1 : MAX_ASKED;
    // Taken as soon as it is seen, as others wait for it, too.
    const takesRoom = () => asked.size < room && !asked.has(domain) && asked.add(domain) !== undefined;
    if (!(await untilTaken(takesRoom))) throw new OutboundError(UNANSWERED);
    // The thread is held for as long as the system tries, whoever still waits.
    const asking = lookup(name).finally(() => asked.delete(domain));
    const found = await withTimeout(PATIENCE, asking, () => {
      silent.put(domain, performance.now() + PAUSE);
      return new OutboundError(UNANSWERED);
    });
    known.put(domain, true);
    return found;
  };
}

/** As `pollUntil`, which looks once more at what holds. */
async function untilTaken(take: () => boolean): Promise<boolean> {
  let isTaken = false;
  return pollUntil(() => {
    isTaken ||= take();
    return isTaken;
  }, PATIENCE);
}

async function systemLookup(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** What one owner has: two labels, or three below endings such as `co.uk`. */
function domainOf(name: string): string {
  return name
    .split(".")
    .slice(COUNTRY_ENDING.test(name) ? -3 : -2)
    .join(".");
}

/** The usual second labels of country codes, at which everybody may have a name. */
const COUNTRY_ENDING = /\.(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}$/;
const UNANSWERED = "No name server has answered for the address.";
/** One more for domains that have answered before, so that others cannot keep them out. */
const MAX_ASKED = 2;
/** Milliseconds to wait for room, and then for an answer. */
const PATIENCE = 3_000;
/** Milliseconds. */
const PAUSE = 600_000;
const MAX_KNOWN = 1_000;
