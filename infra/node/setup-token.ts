import type { Configuration } from "../../lib/config/configuration.ts";
import { base64url } from "../../lib/encoding.ts";
import type { Random } from "../../lib/random.ts";

/** The configuration with a new setup token in it, 256 bits. */
export function withSetupToken(
  configuration: Configuration,
  random: Random,
): { readonly configuration: Configuration; readonly setupToken: string } {
  const setupToken = base64url(random.bytes(32));
  return { configuration: { ...configuration, console: { ...configuration.console, setupToken } }, setupToken };
}
