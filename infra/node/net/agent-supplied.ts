import { guardedFetch } from "../../../lib/net/agent-supplied.ts";
import { OutboundError } from "../../../lib/net/outbound.ts";
import type { PinnedConnections } from "./pinned-connections.ts";
import { resolveName } from "./resolve-name.ts";

/**
 * For tests, which have no public server: nothing but these parameters of a function changes what connections do, and
 * every check of address and name stays.
 */
export interface AgentSuppliedOptions {
  /** The addresses of a name; those in the DNS unless given. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Where connections go once the addresses of a name have been accepted. */
  readonly connectTo?: { readonly host: string; readonly port: number };
  /** Trusted in place of the public authorities, PEM. */
  readonly ca?: string;
}

/**
 * `agentSuppliedFetch` on Node and Lambda. Each connection resolves its name once, checks every address, and goes to one
 * that was checked: a name that resolves to something else a moment later gains nothing. Proxies of the environment are
 * not used, since they would resolve the name again, inside the network that they stand in.
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
      // fetch wraps what kept it from connecting.
      throw error instanceof Error && error.cause instanceof OutboundError ? error.cause : error;
    }
  });
}
