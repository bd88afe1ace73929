import type { Configuration } from "../../config/configuration.ts";
import type { Connector } from "../../connectors/connectors.ts";

/** The connectors that people sign in to the Console with, which are none but those that `console.connectors` names. */
export function usableConnectors(
  connectors: readonly Connector[],
  { console }: Pick<Configuration, "console">,
): readonly Connector[] {
  return console.connectors.flatMap((name) => connectors.find(({ settings }) => settings.name === name) ?? []);
}

/** Where they send people back to. */
export function consoleCallbackURL({ console }: Pick<Configuration, "console">): string {
  return `${console.baseURL}/api/v1/sign-in/oidc/callback`;
}
