import type { Configuration } from "../../lib/config/configuration.ts";
import { base64url } from "../../lib/encoding.ts";
import type { Random } from "../../lib/random.ts";

/** A new setup token, 256 bits. */
export function newSetupToken(random: Random): string {
  return base64url(random.bytes(32));
}

/** The configuration with this setup token in it; as it is without one. */
export function withSetupToken(configuration: Configuration, setupToken: string | undefined): Configuration {
  if (setupToken === undefined) return configuration;
  return { ...configuration, console: { ...configuration.console, setupToken } };
}
