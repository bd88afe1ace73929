/**
 * The file that a private key is downloaded as: the client's name in plain characters, and the beginning of the key's
 * fingerprint, so that two keys of one client do not overwrite each other.
 */
export function keyFileName(clientName: string, fingerprint: string): string {
  return `${plain(clientName) || "api-client"}-${fingerprint.slice(0, 8)}.pem`;
}

/** Letters without their marks; what no file system and no shell minds. */
function plain(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._]+/g, "-")
    .slice(0, 60)
    .replaceAll(/^[-.]+|[-.]+$/g, "");
}
