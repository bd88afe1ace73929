import type { ConnectorConfiguration } from "../configuration.ts";
import { signalsURL } from "../endpoints.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { SignalsConfiguration } from "../signals-configuration.ts";
import { present } from "./context.ts";

interface SignalContext {
  readonly connectors: readonly ConnectorConfiguration[];
  readonly publicURL: string;
}

/** Whose security events are believed, with what is left to default. */
export function assembleSignals(
  signals: ConfigurationDocument["signals"],
  { connectors, publicURL }: SignalContext,
): readonly SignalsConfiguration[] {
  return signals.map(({ connector, delivery, audience, issuer, jwksURL, token, pollURL, pollInterval }) => {
    const clientID = connectors.find(({ name }) => name === connector)?.clientID;
    const own = [...(clientID === undefined ? [] : [clientID]), signalsURL(connector, { publicURL })];
    return {
      ...{ connector, audience: audience ?? (delivery === "push" ? own : own.slice(0, -1)) },
      ...present({ issuer, jwksURL, token }),
      ...(pollURL !== undefined && { poll: { url: pollURL, interval: pollInterval } }),
    };
  });
}
