import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { withTelemetry } from "../../../lib/application/with-telemetry.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import { ownLogger } from "../../../lib/telemetry/otlp/delivery-log.ts";
import { openFetch } from "../net/open-fetch.ts";

/** Milliseconds that delivering the rest may take when the server stops; it has a little more for ending what is late. */
const CLOSE_TIMEOUT = 4_000;

export interface MeasuredOptions {
  readonly soid: string;
  /** Names the proxies of connections to collectors. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface MeasuredDependencies {
  readonly dependencies: Dependencies;
  /** Delivers what is left, as far as it can be delivered soon. Never rejects. */
  close(): Promise<void>;
}

/**
 * The dependencies with `telemetry` as it is configured. Without it nothing of it is loaded.
 * @throws OutboundError when a file of an exporter's TLS settings cannot be used
 */
export async function measuredDependencies(
  dependencies: Dependencies,
  { soid, environment }: MeasuredOptions,
): Promise<MeasuredDependencies> {
  const { configuration, fetch } = dependencies;
  const { telemetry: configured } = configuration().configuration;
  if (configured === undefined) return { dependencies, close: () => Promise.resolve() };
  const logger = ownLogger(dependencies);
  const report = (problem: unknown) =>
    logger.warn("changed TLS files cannot be used; connections to the collector go on with the former", {
      cause: causeOf(problem),
    });
  const { startTelemetry } = await import("./start.ts");
  const connections = { fetch, openFetch: openFetch(environment, { report }) };
  const { telemetry, close } = startTelemetry(configured, { configuration, soid, logger, ...connections });
  return { dependencies: withTelemetry(dependencies, telemetry), close: () => close(CLOSE_TIMEOUT) };
}
