import * as z from "zod";
import { described } from "./described.ts";
import { section } from "./section.ts";
import { choice, file, list } from "./types.ts";

/** As Go's package `crypto/tls` calls them. */
const CLIENT_AUTHENTICATION = [
  "NoClientCert",
  "RequestClientCert",
  "RequireAnyClientCert",
  "VerifyClientCertIfGiven",
  "RequireAndVerifyClientCert",
] as const;

const VERSIONS = "1.2, 1.3";

/** Without quotes YAML reads a number. */
const minVersion = z
  .union([choice(["1.2", "1.3"]), z.literal([1.2, 1.3], { error: VERSIONS })], { error: VERSIONS })
  .transform((version) => (version === "1.3" || version === 1.3 ? "1.3" : "1.2"));

const entry = section({
  certFile: described(
    file().optional(),
    "PEM file of the certificate and the chain above it: the listener's, or the client certificate of outbound connections.",
    "/etc/countersign/tls/gateway.crt",
  ),
  keyFile: described(
    file().optional(),
    "PEM file of the certificate's private key.",
    "/etc/countersign/tls/gateway.key",
  ),
  minVersion: described(minVersion.prefault("1.2"), "The least version of TLS."),
  caFile: described(
    file().optional(),
    "PEM file of the authorities that outbound connections trust in place of the public ones.",
    "/etc/countersign/tls/internal-ca.crt",
  ),
  clientAuth: described(
    choice(CLIENT_AUTHENTICATION).default("NoClientCert"),
    "Whether the listener asks clients for a certificate, and what happens without a good one. Required with `clientCAFiles`.",
  ),
  clientCAFiles: described(
    list(file()).default([]),
    "PEM files of the authorities whose client certificates are good. Required when `clientAuth` verifies.",
    ["/etc/countersign/tls/clients-ca.crt"],
  ),
});

/** `tls.<name>`: settings that listeners and connections name. */
export const tls = described(
  z.record(z.string({ error: "a name" }), entry, { error: "a mapping of names to TLS settings" }).default({}),
  "TLS settings by name, for the listener and for outbound connections.",
);
