import type { Dependencies } from "../dependencies.ts";
import { measuredFetch } from "./http-client.ts";
import type { Telemetry } from "./telemetry.ts";

/** The same dependencies, measured. */
export function withTelemetry(dependencies: Dependencies, telemetry: Telemetry): Dependencies {
  const { fetch, outbound } = dependencies;
  return {
    ...dependencies,
    telemetry,
    fetch: measuredFetch(fetch, telemetry),
    outbound: (tls, connection) => measuredFetch(outbound(tls, connection), telemetry),
  };
}
