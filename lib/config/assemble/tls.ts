import type { TlsConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { present } from "./present.ts";

/** The entries of `tls`, by name. */
export function assembleTls(entries: ConfigurationDocument["tls"]): Readonly<Record<string, TlsConfiguration>> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, assembleEntry(entry)]));
}

function assembleEntry({
  certFile,
  keyFile,
  caFile,
  ...entry
}: ConfigurationDocument["tls"][string]): TlsConfiguration {
  return { ...entry, ...present({ certFile, keyFile, caFile }) };
}
