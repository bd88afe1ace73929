import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { fileErrorReason } from "../files/file-error.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { PATIENCE } from "../sqlite/busy.ts";
import { StartupError } from "../startup-error.ts";
import { refuseDamagedDatabase } from "../store-folder/damaged-database.ts";
import { refuseForeignDatabase } from "../store-folder/foreign-database.ts";
import { carryKeptFiles, restoreKeptFiles } from "../store-folder/restored-files.ts";
import { required } from "./administer.ts";
import { withDraft } from "./draft-file.ts";
import { refuseAbsentStore, storeConfiguration } from "./embedded-store.ts";

/**
 * All pages in one step, which is one read transaction: writers go on beside it. In smaller steps the copy would start
 * anew with each write of another process, and beside a busy server never end.
 */
const ALL_PAGES = 0x7fff_ffff;

/**
 * `countersign backup -out FILE`: copies the embedded store into one file, also while servers write to it. A store is
 * restored by starting on the file. Prints one JSON object.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, { config: "string", secretProvider: "string", out: "string" });
  const file = required(flags.out, "out FILE");
  const { store } = await storeConfiguration(flags, io);
  const summary = await withDraft(file, async (draft) => {
    await copyStore(store.path, draft);
    const contents = await complete(store.path, draft);
    return { file, bytes: statSync(draft).size, sha256: await sha256(draft), ...contents };
  });
  io.stdout(`${JSON.stringify(summary)}\n`);
  return 0;
}

async function copyStore(folder: string, draft: string): Promise<void> {
  const file = join(folder, "countersign.db");
  refuseAbsentStore(folder);
  restoreKeptFiles(folder);
  await explained(`The store in ${folder} cannot be copied`, async () => {
    const source = new DatabaseSync(file, { timeout: PATIENCE });
    try {
      refuseForeignDatabase(source, file);
      await backup(source, draft, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
  });
}

/** Checks the copy, and makes one file of it that holds all that the store's folder holds. */
async function complete(folder: string, draft: string): Promise<object> {
  return explained(`The copy of ${folder} is not usable`, async () => {
    const copy = new DatabaseSync(draft);
    try {
      refuseDamagedDatabase(copy);
      // A copy says of itself that it has a log beside it, as a store has.
      copy.exec("PRAGMA journal_mode = DELETE");
      const keptFiles = carryKeptFiles(copy, folder);
      const count = (table: string) => copy.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows;
      return {
        apiClients: count("api_clients"),
        tokens: count("tokens"),
        auditEvents: count("audit_events"),
        keptFiles,
      };
    } finally {
      copy.close();
    }
  });
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Runs a step; what fails in it is told with what the step was for. */
async function explained<T>(failure: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${failure}: ${fileErrorReason(error)}.`, { cause: error });
  }
}
