import type { Dependencies } from "../dependencies.ts";
import type { TokenRecord } from "../stores/tokens.ts";
import { tokenPrefix, tokenReference } from "./opaque.ts";

/**
 * The record of an active access token. Undefined for everything else, without telling which: not a token, another
 * region's, unknown, expired or revoked. Only what has the form and checksum of a token of this region is looked up.
 */
export async function introspectToken(
  text: string,
  dependencies: Pick<Dependencies, "stores" | "clock" | "configuration">,
): Promise<TokenRecord | undefined> {
  const { oidcProvider } = dependencies.configuration().configuration;
  if (oidcProvider === undefined || !text.startsWith(tokenPrefix(oidcProvider.region))) return undefined;
  const reference = tokenReference(text);
  if (reference === undefined) return undefined;
  return dependencies.stores.tokens.introspect(reference, dependencies.clock.now());
}
