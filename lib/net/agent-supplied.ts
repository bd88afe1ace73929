import { OutboundError } from "./outbound.ts";
import { isPublicAddress } from "./public-address.ts";

/**
 * A `fetch` for addresses that an agent supplied (checklist 21): `https` on port 443, to a host whose name or address does
 * not already tell that it is inside some network. Redirects are not followed, and a body is never sent.
 *
 * @param fetch what connects; where the runtime resolves names itself, it checks their addresses too
 * @returns rejects with `OutboundError` for any other address
 */
export function guardedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const guarded = guardedRequests(fetch);
  return (input, init) => guarded(input, { ...init, method: "GET" });
}

/**
 * The same for requests of every method, with bodies: to addresses that documents of others name (checklist 70). All but the
 * address is taken from `init`.
 *
 * @param fetch as for `guardedFetch`
 * @returns rejects with `OutboundError` for any other address
 */
export function guardedRequests(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const fault = publicUrlFault(url);
    if (fault !== undefined) throw new OutboundError(`The address ${fault}.`);
    return fetch(url.href, { ...init, redirect: "manual" });
  };
}

/** Why an address is refused that somebody else named, to follow its name in a sentence. Undefined: nothing tells against it yet. */
export function publicUrlFault(url: URL): string | undefined {
  const { protocol, username, password, port } = url;
  if (protocol !== "https:") return "is not https";
  if (username !== "" || password !== "") return "holds a user name or password";
  if (port !== "") return "names a port other than 443";
  return isInternal(url) ? NOT_PUBLIC : undefined;
}

/** Whether the host's name or address tells that it is inside some network. */
export function isInternal({ hostname }: URL): boolean {
  // The parser has already made one notation of all that it knows: `0x7f.1` is `127.0.0.1` here.
  const address = /^\[(.*)\]$/.exec(hostname)?.[1] ?? (/^[\d.]+$/.test(hostname) ? hostname : undefined);
  return address === undefined ? isInternalName(hostname) : !isPublicAddress(address);
}

/** Names without a dot, with one at the end, and those that are never in the public DNS (RFC 6761, RFC 6762, RFC 8375). */
function isInternalName(hostname: string): boolean {
  const labels = hostname.split(".");
  return (
    labels.length < 2 ||
    labels.includes("") ||
    INTERNAL_ENDINGS.has(labels.at(-1) ?? "") ||
    /\.home\.arpa$/.test(hostname)
  );
}

/** How `OutboundError` says it; the error of a name whose addresses are not public says the same. */
export const NOT_PUBLIC = "is not on the public internet";
const INTERNAL_ENDINGS: ReadonlySet<string> = new Set([
  ...["localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan"],
  ...["test", "invalid", "onion", "alt"],
]);
