import type { McpAppConfiguration, StepUpConfiguration } from "../config/app-configuration.ts";
import { firstNaming } from "../config/tool-names.ts";
import { type ExchangeTerms, exchangeTerms } from "./credentials/exchange.ts";
import { type ConnectionTerms, connectionTerms } from "./credentials/person-token.ts";

/** What the configuration wants of a tool's calls. */
export interface ToolTerms {
  /** That the agent's token has to carry. */
  readonly scopes: readonly string[];
  /** The app has entries for scopes and none names the tool: nobody may call it, and lists do not show it (D163). */
  readonly hasNoRule?: boolean;
  /** What sign-in it takes; absent: any. */
  readonly stepUp?: StepUp | undefined;
  /** What the token that calls to the upstream carry is exchanged for; absent: none is. */
  readonly terms?: ExchangeTerms | undefined;
  /** What calls need of the person's own account; absent: nothing. */
  readonly connection?: ConnectionTerms | undefined;
}

/** What a person's sign-in has to be like for a tool (RFC 9470). */
export type StepUp = Pick<StepUpConfiguration, "acr" | "maxAge">;

/** Of the tools of an app, by the name without the namespace; of the entries that match a name the first decides. */
export function createToolTerms(app: McpAppConfiguration): (localName: string) => ToolTerms {
  const inboundOf = firstNaming(app.inboundTools, ({ name }) => [name]);
  const stepUp = firstNaming(app.stepUp, ({ tools }) => tools);
  const terms = exchangeTerms(app);
  const connection = connectionTerms(app);
  const isOpen = app.inboundTools.length === 0;
  return (localName) => {
    const inbound = inboundOf(localName);
    return {
      scopes: inbound?.scopes ?? [],
      ...(inbound === undefined && !isOpen && { hasNoRule: true }),
      stepUp: stepUp(localName),
      terms: terms(localName),
      connection: connection(localName),
    };
  };
}
