import { Resolver } from "node:dns/promises";

/**
 * The addresses of a name in the DNS. Not `lookup`, which waits in one of the few threads that all lookups of the process
 * share: names that strangers choose, of servers that never answer, would hold up everybody's.
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
