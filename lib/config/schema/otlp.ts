import * as z from "zod";
import { described } from "./described.ts";
import { section } from "./section.ts";
import { choice, file, flag, milliseconds, secret, text, url } from "./types.ts";

const HEADERS = "a mapping of HTTP header names to text";
const HEADER_NAME = "an HTTP header name (RFC 9110 section 5.1)";

const headers = secret(
  z.record(z.string({ error: HEADER_NAME }).regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/), text(), {
    error: ({ code }) => (code === "invalid_key" ? HEADER_NAME : HEADERS),
  }),
);

const OTLP = {
  protocol: described(choice(["http/protobuf", "http/json"]).default("http/protobuf"), "How the data are encoded."),
  insecure: described(
    flag().default(false),
    "Skips the verification of the collector's certificate. Refused on Workers.",
  ),
  timeout: described(milliseconds().default(10_000), "Milliseconds that one export may take."),
  headers: described(headers.default({}), "Headers of every export, for example a credential.", {
    authorization: "<telemetry.token>",
  }),
  compression: described(choice(["none", "gzip"]).default("none"), "Compression of the exported data."),
  certificate: described(
    file().optional(),
    "PEM file of the authorities that the collector's certificate may come from, in place of the public ones.",
    "/etc/countersign/tls/collector-ca.crt",
  ),
  clientCertificate: described(
    file().optional(),
    "PEM file of the client certificate for the collector.",
    "/etc/countersign/tls/telemetry.crt",
  ),
  clientKey: described(
    file().optional(),
    "PEM file of the client certificate's private key.",
    "/etc/countersign/tls/telemetry.key",
  ),
};

/** An OTLP exporter of metrics. */
export const metricExporter = described(
  section({
    endpoint: endpoint("https://collector.example.com:4318/v1/metrics"),
    ...OTLP,
    temporality: described(
      choice(["cumulative", "delta", "lowmemory"]).default("cumulative"),
      "Whether sums count from the start or from the last export.",
    ),
  }),
  "An OTLP collector.",
);

/** An OTLP exporter of spans. */
export const spanExporter = described(
  section({ endpoint: endpoint("https://collector.example.com:4318/v1/traces"), ...OTLP }),
  "An OTLP collector.",
);

function endpoint(example: string) {
  return described(url(), "URL of the collector, with its path.", example);
}
