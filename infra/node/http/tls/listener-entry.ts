import type { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import type { TlsConfiguration } from "../../../../lib/config/configuration.ts";
import { PemFileError, readCertificates, readKeyPair } from "../../net/pem-file.ts";

/** An entry of `tls` as the listener uses it, with what its files held when it was read. */
export interface ListenerEntry {
  readonly settings: TlsConfiguration;
  readonly options: SecureContextOptions;
  readonly context: SecureContext;
  readonly certificate: X509Certificate;
}

/**
 * Reads the files of an entry.
 * @throws PemFileError when one cannot be used
 */
export function readListenerEntry(settings: TlsConfiguration): ListenerEntry {
  const { minVersion, clientCAFiles } = settings;
  const certFile = { key: "certFile", file: settings.certFile ?? "" };
  const { pem, key, certificates } = readKeyPair(certFile, { key: "keyFile", file: settings.keyFile ?? "" });
  const authorities = clientCAFiles.map(
    (file, index) => readCertificates({ key: `clientCAFiles[${index}]`, file }).pem,
  );
  const options: SecureContextOptions = {
    cert: pem,
    key,
    minVersion: `TLSv${minVersion}`,
    ...(authorities.length > 0 && { ca: authorities }),
  };
  try {
    return { settings, options, context: createSecureContext(options), certificate: certificates[0] };
  } catch (error) {
    throw new PemFileError(certFile, `cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

/** The files that the listener reads for an entry. */
export function filesOf({ certFile, keyFile, clientCAFiles }: TlsConfiguration): readonly string[] {
  return [certFile, keyFile, ...clientCAFiles].filter((file) => file !== undefined);
}

/** Whether clients are asked for a certificate. */
export function asksForCertificate({ clientAuth }: TlsConfiguration): boolean {
  return clientAuth !== "NoClientCert";
}

/** OpenSSL's reason, for example `ee key too small`. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error && "reason" in error ? error.reason : undefined;
  return typeof reason === "string" ? reason : "the TLS library refuses it";
}
