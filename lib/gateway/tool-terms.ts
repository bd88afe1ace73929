import type { McpAppConfiguration } from "../config/app-configuration.ts";
import { firstNaming } from "../config/tool-pattern.ts";
import { exchangeTerms } from "./credentials/terms.ts";
import { stepUpOf } from "./step-up.ts";
import type { ToolTerms } from "./tool-index.ts";

/** What the configuration of an app wants of the calls of a tool, by its name without the namespace. */
export function createToolTerms(app: McpAppConfiguration): (localName: string) => ToolTerms {
  const inboundOf = firstNaming(app.inboundTools, ({ name }) => [name]);
  const [stepUp, terms] = [stepUpOf(app), exchangeTerms(app)];
  return (localName) => ({
    scopes: inboundOf(localName)?.scopes ?? [],
    stepUp: stepUp(localName),
    terms: terms(localName),
  });
}
