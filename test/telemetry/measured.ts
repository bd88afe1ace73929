import { behaviourConfiguration } from "../behaviour/configuration.ts";
import { createSigner, type Owner, type Signer, setUpOwner } from "../behaviour/fixture.ts";
import { mcpURL } from "../behaviour/gateway-fixture.ts";
import type { RunningRegion, RuntimeUnderTest } from "../support/runtime.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/** The product in one region, an upstream for its tools, and a collector for its telemetry. */
export interface Measured {
  readonly region: RunningRegion;
  readonly collector: Receiver;
  readonly upstream: Upstream;
  readonly owner: Owner;
  /** May use the gateway and every tool. */
  readonly signer: Signer;
  stop(): Promise<void>;
}

/** A header of every export that must not show up anywhere else. */
export const COLLECTOR_CREDENTIAL = "Api-Key kept-from-everyone-else-4711";

/** The app is the last entry of the document, so that this continues it. */
const POLICY = `
    authorization:
      inbound:
        cel: request.mcp.tool.params.name != "deleteNote"
`;

/** Metrics every second and each span at once. */
const TELEMETRY = `
telemetry:
  metrics:
    readers:
      - periodic:
          interval: 1000
          exporter:
            otlp:
              endpoint: "{{ env.COLLECTOR_URL }}/v1/metrics"
              headers:
                authorization: "${COLLECTOR_CREDENTIAL}"
  traces:
    processors:
      - simple:
          exporter:
            otlp:
              endpoint: "{{ env.COLLECTOR_URL }}/v1/traces?key=in-the-query"
              headers:
                authorization: "${COLLECTOR_CREDENTIAL}"
`;

export async function startMeasured(runtime: RuntimeUnderTest): Promise<Measured> {
  const [collector, upstream] = await Promise.all([startReceiver(), startUpstream()]);
  const variables = { UPSTREAM_URL: upstream.url, COLLECTOR_URL: collector.url };
  const regions = await runtime.start({ configuration: behaviourConfiguration + POLICY + TELEMETRY, variables });
  const region = regions.us;
  const owner = await setUpOwner(region);
  const signer = await createSigner(owner, { scopes: ["audit:read"], resources: [mcpURL(region)] });
  const stop = async () => {
    await regions.stop();
    await Promise.all([upstream.stop(), collector.stop()]);
  };
  return { region, collector, upstream, owner, signer, stop };
}
