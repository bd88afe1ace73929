import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Bytes after gzip, as a platform counts them. */
export async function gzipped(content: Buffer | string): Promise<number> {
  return (await promisify(gzip)(content)).length;
}

/** `12.3 KiB` */
export function kibibytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

/** `12.3 MiB` */
export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
