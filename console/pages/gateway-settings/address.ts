import type { Instance } from "../../../lib/management/schemas/instance.ts";

/** Where agents connect by Streamable HTTP; undefined where the gateway is off. */
export function addressOf(instance: Instance | undefined, path: string): string | undefined {
  return instance?.mcpURLs.find((url) => url.endsWith(path));
}

/** The same with another path. */
export function addressWith(address: string | undefined, path: string, other: string): string | undefined {
  return address === undefined ? undefined : address.slice(0, address.length - path.length) + other;
}
