import { Resolver } from "node:dns/promises";
import { guardedFetch } from "../../../lib/net/agent-supplied.ts";
import { OutboundError } from "../../../lib/net/outbound.ts";
import type { AgentSuppliedOptions, PinnedConnections } from "./pinned-connections.ts";

/**
 * `agentSuppliedFetch` on Node and Lambda. Each connection resolves its name once, checks every address, and connects to a
 * checked one. A name that resolves to another address a moment later has no effect. Proxies of the environment are not used,
 * because they would resolve the name again, in their own network.
 */
export function agentSuppliedFetch(options: AgentSuppliedOptions = {}): typeof globalThis.fetch {
  let loading: Promise<PinnedConnections> | undefined;
  const load = () => {
    loading ??= import("./pinned-connections.ts").then(({ openPinnedConnections }) =>
      openPinnedConnections({ resolve: (name) => resolveName(name), ...options }),
    );
    return loading;
  };
  return guardedFetch(async (input, init) => {
    try {
      return await (await load()).fetch(input, init);
    } catch (error) {
      // fetch wraps the error of the connection.
      throw error instanceof Error && error.cause instanceof OutboundError ? error.cause : error;
    }
  });
}

/**
 * The addresses of a name in the DNS. It does not use `lookup`: all lookups of the process share a few threads, and names of
 * servers that never answer would block them. Agents choose these names.
 *
 * @param servers those of the system unless given
 */
export async function resolveName(name: string, servers?: readonly string[]): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: TIMEOUT, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first?.status === "rejected") throw first.reason;
  return addresses;
}

/** Milliseconds for one question. */
const TIMEOUT = 1_500;
