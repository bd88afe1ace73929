import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHARED_FOLDER } from "./variables.ts";

export interface Built {
  /** The folder that was filled. */
  readonly folder: string;
  /** Deletes what nobody else may want any more. */
  remove(): Promise<void>;
}

const building = new Map<string, Promise<string>>();

/**
 * A folder with what depends on the sources and on these texts alone, filled once in a run of the tests, whichever file
 * asks first. Outside of such a run each caller has a folder of its own.
 */
export async function builtOnce(inputs: readonly string[], fill: (folder: string) => Promise<unknown>): Promise<Built> {
  const shared = process.env[SHARED_FOLDER];
  if (shared === undefined) {
    const folder = await mkdtemp(join(tmpdir(), "countersign-built-"));
    await fill(folder);
    return { folder, remove: () => rm(folder, { recursive: true }) };
  }
  const folder = join(shared, createHash("sha256").update(JSON.stringify(inputs)).digest("hex"));
  const filled = building.get(folder) ?? fillShared(folder, fill).finally(() => building.delete(folder));
  building.set(folder, filled);
  return { folder: await filled, remove: async () => undefined };
}

/** Two processes may fill it at once: what either of them moved into place first counts. */
async function fillShared(folder: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  if (existsSync(folder)) return folder;
  const own = `${folder}-${process.pid}`;
  await mkdir(own, { recursive: true });
  await fill(own);
  await rename(own, folder).catch((error: unknown) => {
    if (!existsSync(folder)) throw error;
  });
  return folder;
}
