import { SecretError } from "./provider.ts";
import type { ProviderUrl } from "./provider-url.ts";

/** Where a vendor's API is: on the host of the URL, and never by plain HTTP, as credentials travel there. */
export function vendorOrigin({ host }: ProviderUrl): string {
  return new URL(`https://${host}`).origin;
}

/** @throws SecretError when the URL has a path, for a provider that takes none */
export function refusePath({ scheme, path }: ProviderUrl, example: string): void {
  if (path.length === 0) return;
  throw new SecretError(`The secret provider ${scheme} takes no path behind its host, for example ${example}.`);
}
