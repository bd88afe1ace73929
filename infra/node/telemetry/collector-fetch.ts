import { loggableUrl } from "../../../lib/logging/fetch-report.ts";
import { type ConnectionTls, type OpenFetch, OutboundError } from "../../../lib/net/outbound.ts";
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
    return Object.keys(settings).length === 0 ? fetch : opened(openFetch, settings, exporter);
  };
}

function opened(openFetch: OpenFetch, settings: ConnectionTls, { endpoint }: OtlpExporterConfiguration) {
  try {
    return openFetch(settings);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const message = error.message.replace(
      /\b(?:caFile|certFile|keyFile)(?=:| needs| beside)/g,
      (key) => KEYS[key] ?? key,
    );
    throw new OutboundError(`telemetry, exporter to ${loggableUrl(endpoint)}: ${message}`, { cause: error });
  }
}

/** What an exporter calls the files of its connections. */
const KEYS: Readonly<Record<string, string>> = {
  caFile: "certificate",
  certFile: "clientCertificate",
  keyFile: "clientKey",
};
