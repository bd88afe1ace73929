import type { McpAppConfiguration, TokenExchangeConfiguration } from "../../config/app-configuration.ts";
import { firstNaming } from "../../config/tool-pattern.ts";

/** What is asked for where an agent's token is exchanged for one toward an upstream. */
export interface ExchangeTerms {
  readonly mode: TokenExchangeConfiguration["mode"];
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Milliseconds. */
  readonly ttl: number;
}

/** Of tools that no entry names, milliseconds. */
export const DEFAULT_TTL = 60_000;

/** Of the tools of an app: the first matching entry decides on scopes and lifetime (D25); undefined where nothing is exchanged. */
export function exchangeTerms({
  outbound,
}: Pick<McpAppConfiguration, "outbound">): (localName: string) => ExchangeTerms | undefined {
  if (outbound.type !== "tokenExchange") return () => undefined;
  const { mode, audience, tools } = outbound;
  const entryOf = firstNaming(tools, ({ name }) => [name]);
  return (localName) => {
    const { scopes, ttl } = entryOf(localName) ?? { scopes: [], ttl: DEFAULT_TTL };
    return { mode, audience, scopes, ttl };
  };
}
