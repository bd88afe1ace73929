import type { OpenFetch } from "../../../lib/net/outbound.ts";
import type { OtlpExporterConfiguration } from "../../../lib/telemetry/configuration.ts";

export interface CollectorConnections {
  /** Without settings of their own. */
  readonly fetch: typeof globalThis.fetch;
  /** With TLS settings. */
  readonly openFetch: OpenFetch;
}

/** Connections with the TLS settings of an exporter. Throws `OutboundError` when a file cannot be used. */
export function collectorFetch({ fetch, openFetch }: CollectorConnections) {
  return (exporter: OtlpExporterConfiguration): typeof globalThis.fetch => {
    const { certificate, clientCertificate, clientKey, insecure } = exporter;
    const settings = {
      ...(certificate !== undefined && { caFile: certificate }),
      ...(clientCertificate !== undefined && { certFile: clientCertificate }),
      ...(clientKey !== undefined && { keyFile: clientKey }),
      ...(insecure && { insecure }),
    };
    return Object.keys(settings).length === 0 ? fetch : openFetch(settings);
  };
}
