import type { Runtime } from "../../../lib/config/configuration.ts";
import { resolveLive } from "../../../lib/config/live-configuration.ts";
import type { LogFields, Logger } from "../../../lib/logging/logger.ts";
import { type MovableClock, movableClock } from "../../secrets/servers/movable-clock.ts";
import { compiled } from "../support.ts";
import { type KeptSettings, keptSettings } from "./kept-settings.ts";

/** A gateway whose settings have placeholders, with a second endpoint and another path to collide with. */
export const YAML = `
version: "1"
http: {publicURL: "https://gateway.example"}
health: {location: /status}
mcpProvider:
  enabled: true
  serverName: "{{ env.NAME }}"
  transports:
    sse: {enabled: true, path: /sse, messagePath: /messages}
    stream:
      enabled: true
      endpointPath: /agents
      session: {enabled: true, timeout: <session.timeout>}
  authorization:
    oauth:
      metadataPath: /.well-known/oauth-protected-resource
`;

export const SECRETS: Readonly<Record<string, string>> = { "session.timeout": "2h" };

export interface GatewayOptions {
  readonly text?: string;
  readonly settings?: KeptSettings;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly runtime?: Runtime;
}

/** A configuration that follows settings, its clock and its log. */
export async function followed(options: GatewayOptions = {}) {
  const { text = YAML, settings = keptSettings(), secrets = SECRETS, runtime = "node" } = options;
  const clock: MovableClock = movableClock();
  const log: string[] = [];
  const replaced: number[] = [];
  const recorded: number[] = [];
  const openSecrets = () => ({ get: async (reference: string) => secrets[reference] ?? "" });
  const resolved = await resolveLive(await compiled(text), {
    environment: { NAME: "From the YAML" },
    runtime,
    openSecrets,
    clock,
  });
  const live = await resolved.keepLive({
    logger: loggerInto(log),
    settings,
    onReplaced: ({ revision }, { isOfOverridesAlone }) => {
      replaced.push(revision);
      if (!isOfOverridesAlone) recorded.push(revision);
    },
  });
  const { gatewaySettings } = live;
  if (gatewaySettings === undefined) throw new Error("there is no gateway");
  /** Begins what is due, and waits for it. */
  const tended = async (): Promise<number> => {
    const work: Promise<void>[] = [];
    live.refresh({ waitUntil: (one) => work.push(one) });
    await Promise.all(work);
    return work.length;
  };
  return { live, gatewaySettings, settings, clock, log, replaced, recorded, tended, gateway: () => gatewayOf(live) };
}

function gatewayOf(live: { readonly snapshot: () => { readonly configuration: { readonly mcpProvider?: unknown } } }) {
  return live.snapshot().configuration.mcpProvider;
}

function loggerInto(log: string[]): Logger {
  const write =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void log.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const logger: Logger = {
    debug: () => undefined,
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: () => logger,
  };
  return logger;
}
