import type { HttpConfiguration } from "../../../../lib/config/configuration.ts";

/** Finds the entry of `tls` for a host name that a client asks for (SNI, RFC 6066 section 3); undefined: nobody answers. */
export type EntryOfName = (servername: string | undefined) => string | undefined;

/** An exact name comes before `*.` and a name, which stands for one label more; the default is for all others, and for no name. */
export function entryOfName({ tls, hosts }: Pick<HttpConfiguration, "tls" | "hosts">): EntryOfName {
  const byName = new Map(hosts.flatMap(({ name, tls }) => (name === undefined ? [] : [[plain(name), tls] as const])));
  const byDefault = tls ?? hosts.find(({ isDefault }) => isDefault)?.tls;
  return (servername) => {
    if (servername === undefined) return byDefault;
    const name = plain(servername);
    return byName.get(name) ?? byName.get(name.replace(/^[^.]+\./, "*.")) ?? byDefault;
  };
}

/** The entries that the listener uses, each once. */
export function usedEntries({ tls, hosts }: Pick<HttpConfiguration, "tls" | "hosts">): readonly string[] {
  return [...new Set([...(tls === undefined ? [] : [tls]), ...hosts.map(({ tls }) => tls)])];
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
