import * as z from "zod";
import { about } from "#about";
import { described, section } from "./section.ts";
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
    about(
      "PEM file of the certificate and its chain: for the listener, or as client certificate for outbound connections.",
      "/etc/countersign/tls/gateway.crt",
    ),
  ),
  keyFile: described(
    file().optional(),
    about("PEM file of the certificate's private key.", "/etc/countersign/tls/gateway.key"),
  ),
  minVersion: described(minVersion.prefault("1.2"), about("Lowest TLS version.")),
  caFile: described(
    file().optional(),
    about(
      "PEM file of the certificate authorities that outbound connections trust, instead of the public ones.",
      "/etc/countersign/tls/internal-ca.crt",
    ),
  ),
  clientAuth: described(
    choice(CLIENT_AUTHENTICATION).default("NoClientCert"),
    about("Whether the listener requests, requires or verifies client certificates. Required with `clientCAFiles`."),
  ),
  clientCAFiles: described(
    list(file()).default([]),
    about("PEM files of the certificate authorities for client certificates. Required when `clientAuth` verifies.", [
      "/etc/countersign/tls/clients-ca.crt",
    ]),
  ),
});

/** `tls.<name>`: settings that listeners and connections name. */
export const tls = described(
  z.record(z.string({ error: "a name" }), entry, { error: "a mapping of names to TLS settings" }).default({}),
  about("TLS settings by name, for the listener and for outbound connections."),
);
