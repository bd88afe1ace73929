import { measuredFetch, measuredForward } from "../telemetry/http-client.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Dependencies } from "./dependencies.ts";

/** The same dependencies, measured. What is published is counted from now on. */
export function withTelemetry(dependencies: Dependencies, telemetry: Telemetry): Dependencies {
  const { fetch, outbound, forward, deployment } = dependencies;
  deployment?.countIn(telemetry);
  return {
    ...dependencies,
    telemetry,
    fetch: measuredFetch(fetch, telemetry),
    outbound: (tls, connection) => measuredFetch(outbound(tls, connection), telemetry),
    forward: (tls) => measuredForward(forward(tls), telemetry),
  };
}
