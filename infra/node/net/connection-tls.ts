import type { ConnectionOptions } from "node:tls";
import { causeOf } from "../../../lib/logging/cause.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import { type ConnectionTls, OutboundError } from "../../../lib/net/outbound.ts";
import { PemFileError, readCertificates, readKeyPair } from "./pem-file.ts";

/** Options of Node's TLS for a connection. */
export type TlsOptions = Pick<ConnectionOptions, "ca" | "cert" | "key" | "minVersion" | "rejectUnauthorized">;

/**
 * Reads the files of a connection's settings.
 * @throws OutboundError when one cannot be used, or a certificate has no key
 */
export function readConnectionTls(tls: ConnectionTls): TlsOptions {
  try {
    return {
      ...(tls.minVersion !== undefined && { minVersion: `TLSv${tls.minVersion}` }),
      ...(tls.insecure === true && { rejectUnauthorized: false }),
      ...(tls.caFile !== undefined && { ca: readCertificates({ key: "caFile", file: tls.caFile }).pem }),
      ...clientCertificate(tls),
    };
  } catch (error) {
    if (error instanceof PemFileError) throw new OutboundError(error.message, { cause: error });
    throw error;
  }
}

/** The files that the settings name. */
export function filesOf({ caFile, certFile, keyFile }: ConnectionTls): readonly string[] {
  return [caFile, certFile, keyFile].filter((file) => file !== undefined);
}

/** Checks the file of `NODE_EXTRA_CA_CERTS`. Node reads it late and reports a failure on stderr only, not in the log. */
export function checkExtraAuthorities(
  environment: Readonly<Record<string, string | undefined>>,
  logger: Pick<Logger, "warn">,
): void {
  const file = environment.NODE_EXTRA_CA_CERTS;
  if (!file) return;
  try {
    readCertificates({ key: "NODE_EXTRA_CA_CERTS", file });
  } catch (error) {
    logger.warn("extra certificate authorities are not trusted", { cause: causeOf(error) });
  }
}

function clientCertificate({ certFile, keyFile }: ConnectionTls): Pick<TlsOptions, "cert" | "key"> {
  if (certFile === undefined && keyFile === undefined) return {};
  if (certFile === undefined) throw new OutboundError("keyFile needs certFile beside it.");
  if (keyFile === undefined) throw new OutboundError("certFile needs keyFile beside it.");
  const { pem, key } = readKeyPair({ key: "certFile", file: certFile }, { key: "keyFile", file: keyFile });
  return { cert: pem, key };
}
