import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { fileErrorReason, hasCode } from "../files/file-error.ts";
import { syncFolder } from "../files/sync-folder.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { LOCK_TIMEOUT } from "../sqlite/busy.ts";
import { StartupError } from "../startup-error.ts";
import { addPersistentFiles, restorePersistentFiles } from "../store-folder/restored-files.ts";
import { refuseDamagedDatabase, refuseForeignDatabase } from "../store-folder/unusable-store.ts";
import { UsageError } from "../usage-error.ts";
import { required } from "./administer.ts";
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
  restorePersistentFiles(folder);
  await explained(`The store in ${folder} cannot be copied`, async () => {
    const source = new DatabaseSync(file, { timeout: LOCK_TIMEOUT });
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
      const keptFiles = addPersistentFiles(copy, folder);
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

/** Signals that end a command. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Makes a file, mode 0600, that appears at its path complete and durable or not at all. The work writes to a draft, whose
 * path it is given, in a folder of its own beside it: when that folder is gone, nothing more can come into being in it.
 * When the work fails, or a signal ends the process, the folder is removed.
 * @throws UsageError when there is a file already
 * @throws StartupError when none can be made there
 */
async function withDraft<T>(path: string, work: (draft: string) => Promise<T>): Promise<T> {
  refuseExisting(path);
  const folder = `${path}.${process.pid}.partial`;
  const draft = join(folder, basename(path));
  // SQLite may add a file between the look into the folder and its removal.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 });
  const end = (signal: NodeJS.Signals) => {
    remove();
    for (const each of SIGNALS) process.off(each, end);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    reserve(draft, path);
    const value = await work(draft);
    publish(draft, path);
    return value;
  } finally {
    remove();
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new UsageError(`${path} exists already and is not overwritten.`);
}

function reserve(draft: string, path: string): void {
  try {
    mkdirSync(dirname(draft), { mode: 0o700 });
    closeSync(openSync(draft, "wx", 0o600));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** A link, unlike a change of the name, replaces no file that came into being meanwhile. */
function publish(draft: string, path: string): void {
  try {
    sync(draft);
    linkSync(draft, path);
    syncFolder(dirname(resolve(path)));
  } catch (error) {
    if (hasCode(error, "EEXIST")) refuseExisting(path);
    throw cannotWrite(path, error);
  }
}

function sync(file: string): void {
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function cannotWrite(path: string, error: unknown): StartupError {
  return new StartupError(`${path} cannot be written: ${fileErrorReason(error)}.`, { cause: error });
}
