import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Within the repository: what the Console, its checks and trials of configurations and the document beside it are made of, with the
 * versions of the Console's packages.
 */
export const SOURCES: readonly string[] = [
  "console",
  "lib/api-clients",
  "lib/audit",
  "lib/authorization-server",
  "lib/config",
  "lib/connections",
  "lib/connectors",
  "lib/deployment",
  "lib/gateway",
  "lib/kernel",
  "lib/limits",
  "lib/logging",
  "lib/management",
  "lib/net",
  "lib/openapi",
  "lib/pages",
  "lib/pins",
  "lib/policy",
  "lib/protocol",
  "lib/reverse-proxy",
  "lib/secrets",
  "lib/stops",
  "lib/stores",
  "lib/telemetry",
  "lib/tool-rules",
  "lib/upstream",
  "infra/build/console",
  "package-lock.json",
];

/**
 * A hash over names and contents of all that a build of the Console depends on: times of files change without their contents,
 * and stay when another branch is checked out.
 */
export async function hashOfSources(root: string): Promise<string> {
  const hash = createHash("sha256");
  const paths = (await Promise.all(SOURCES.map((path) => filesAt(root, path)))).flat().toSorted();
  for (const path of paths) {
    const content = await readFile(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

async function filesAt(root: string, path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return [path];
    if (code === "ENOENT") return [];
    throw error;
  }
}
