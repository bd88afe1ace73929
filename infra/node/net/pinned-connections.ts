import { isIPv6, type LookupFunction } from "node:net";
import { Agent, buildConnector, Dispatcher1Wrapper } from "undici";
import { NOT_PUBLIC } from "../../../lib/net/agent-supplied.ts";
import { OutboundError } from "../../../lib/net/outbound.ts";
import { isPublicAddress } from "../../../lib/net/public-address.ts";

/**
 * For tests, which have no public server. Only these parameters change the connections, and every check of address and name
 * stays.
 */
export interface AgentSuppliedOptions {
  /** The addresses of a name; those that the operating system finds unless given. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Where connections go once the addresses of a name have been accepted. */
  readonly connectTo?: { readonly host: string; readonly port: number };
  /** Trusted in place of the public authorities, PEM. */
  readonly ca?: string;
}

export interface PinnedConnections {
  readonly fetch: typeof globalThis.fetch;
}

export type PinnedOptions = AgentSuppliedOptions & Required<Pick<AgentSuppliedOptions, "resolve">>;

/** Connections to public addresses alone, whatever a name resolves to. */
export function openPinnedConnections({ resolve, connectTo, ca }: PinnedOptions): PinnedConnections {
  const connector = buildConnector({
    lookup: checkedLookup(resolve, connectTo?.host),
    timeout: CONNECT_TIMEOUT,
    ...(ca !== undefined && { ca }),
  });
  const agent = new Agent({
    connect: (options, callback) =>
      connector({ ...options, ...(connectTo !== undefined && { port: String(connectTo.port) }) }, callback),
    // Agents choose the servers, so few connections stay open.
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE,
    connections: CONNECTIONS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  // Speaks to the fetch of every Node that we run on, whatever undici is in it.
  const dispatcher = new Dispatcher1Wrapper(agent);
  return { fetch: (input, init) => fetch(input, { ...init, dispatcher } as RequestInit) };
}

/** Node connects to the addresses of this lookup. If one address of a name is not public, the name is refused. */
function checkedLookup(resolve: PinnedOptions["resolve"], instead: string | undefined): LookupFunction {
  return (hostname, options, callback) => {
    const accepted = resolve(hostname).then((addresses) => {
      if (addresses.length > 0 && addresses.every(isPublicAddress))
        return instead === undefined ? addresses : [instead];
      throw new OutboundError(`The address ${NOT_PUBLIC}.`);
    });
    accepted.then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, options.all === true ? [] : "", 0),
    );
  };
}

/** Milliseconds. */
const CONNECT_TIMEOUT = 5_000;
const KEEP_ALIVE = 1_000;
/** To one origin at a time. */
const CONNECTIONS = 4;
const MAX_HEADER_BYTES = 16_384;
