import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { type KeptLive, resolveLive } from "../../lib/config/live-configuration.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";

const ignore = () => undefined;
const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => SILENT };

/** An instance in this process whose configuration is replaced while it runs. Its upstream is nowhere, and it has no secrets. */
export async function startLive(
  first: ConfigurationArtifact,
): Promise<{ readonly it: InProcess; readonly kept: KeptLive }> {
  const resolved = await resolveLive(first, {
    ...{ environment: { UPSTREAM_URL: "http://127.0.0.1:9" }, runtime: "node", clock: systemClock },
    openSecrets: () => ({ get: () => Promise.reject(new Error("there are no secrets")) }),
  });
  let live: KeptLive | undefined;
  const it = await startInProcess({
    adapt: (dependencies) => ({
      ...dependencies,
      configuration: () => live?.snapshot() ?? dependencies.configuration(),
    }),
    configuration: { console: resolved.configuration.console, session: resolved.configuration.session },
  });
  live = await resolved.keepLive({ logger: SILENT, settings: it.dependencies.stores.settings });
  return { it, kept: live };
}
