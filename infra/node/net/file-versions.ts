import { statSync } from "node:fs";

/**
 * A text that changes when one of the files does, is replaced or is reached by another symbolic link, as when Kubernetes
 * exchanges a mounted secret. A file that is not there is a version of its own.
 */
export function fileVersions(files: readonly string[]): string {
  return files.map(versionOf).join(" ");
}

function versionOf(file: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [dev, ino, size, mtimeMs, ctimeMs].join(":");
  } catch {
    return "unreadable";
  }
}
