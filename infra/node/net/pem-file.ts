import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { fileErrorReason } from "../files/file-error.ts";

/** A file that the configuration names, with the key that names it, for example `keyFile`. */
export interface NamedFile {
  readonly key: string;
  readonly file: string;
}

/** A file cannot be used; the message names the key, the file and the reason, and nothing of what the file holds. */
export class PemFileError extends Error {
  constructor({ key, file }: NamedFile, reason: string, options: { readonly cause?: unknown } = {}) {
    super(`${key}: ${file} ${reason}`, options);
    this.name = "PemFileError";
  }
}

/** The certificates of a file; text around them is left out of `pem`. */
export interface Certificates {
  readonly pem: string;
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
}

/** @throws PemFileError */
export function readCertificates(file: NamedFile): Certificates {
  const blocks = readText(file).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const [first, ...others] = blocks.map((block, index) => parseCertificate(file, block, index));
  if (first === undefined) throw new PemFileError(file, "holds no certificate; accepted: PEM, BEGIN CERTIFICATE");
  return { pem: `${blocks.join("\n")}\n`, certificates: [first, ...others] };
}

/**
 * A certificate with the chain that leads to its authority, and its private key.
 * @throws PemFileError when one cannot be used, or they do not belong together
 */
export function readKeyPair(certFile: NamedFile, keyFile: NamedFile): Certificates & { readonly key: string } {
  const { pem, certificates } = readCertificates(certFile);
  const key = readPrivateKey(keyFile);
  if (!certificates[0].checkPrivateKey(createPrivateKey(key))) {
    throw new PemFileError(keyFile, `does not belong to the (first) certificate in ${certFile.file}`);
  }
  return { pem, certificates, key };
}

/**
 * A text that changes when one of the files does, is replaced or is reached by another symbolic link, as when Kubernetes
 * exchanges a mounted secret. A file that is not there is a version of its own.
 */
export function fileVersions(files: readonly string[]): string {
  return files.map(versionOf).join(" ");
}

function readPrivateKey(file: NamedFile): string {
  const text = readText(file);
  const [block] = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/.exec(text) ?? [];
  if (block === undefined) throw new PemFileError(file, "holds no private key; accepted: PEM, BEGIN PRIVATE KEY");
  if (/BEGIN ENCRYPTED|Proc-Type:.*ENCRYPTED/.test(block)) {
    throw new PemFileError(file, "holds an encrypted private key; accepted: one without a passphrase");
  }
  try {
    createPrivateKey(block);
  } catch (error) {
    throw new PemFileError(file, "holds a private key that cannot be read", { cause: error });
  }
  return `${block}\n`;
}

function parseCertificate(file: NamedFile, block: string, index: number): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch (error) {
    throw new PemFileError(file, `holds a certificate that cannot be read, number ${index + 1}`, { cause: error });
  }
}

function readText(file: NamedFile): string {
  try {
    const text = readFileSync(file.file, "utf8");
    if (text.trim() === "") throw new Error("it is empty");
    return text;
  } catch (error) {
    throw new PemFileError(file, `cannot be read: ${fileErrorReason(error)}`, { cause: error });
  }
}

function versionOf(file: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [dev, ino, size, mtimeMs, ctimeMs].join(":");
  } catch {
    return "unreadable";
  }
}
