import { closeSync, fsyncSync, linkSync, lstatSync, mkdirSync, openSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileErrorReason, hasCode } from "../files/file-error.ts";
import { syncFolder } from "../files/sync-folder.ts";
import { StartupError } from "../startup-error.ts";
import { UsageError } from "../usage-error.ts";

/** Signals that end a command. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Makes a file, mode 0600, that appears at its path complete and durable or not at all. The work writes to a draft, whose
 * path it is given, in a folder of its own beside it: when that folder is gone, nothing more can come into being in it.
 * When the work fails, or a signal ends the process, the folder is removed.
 * @throws UsageError when there is a file already
 * @throws StartupError when none can be made there
 */
export async function withDraft<T>(path: string, work: (draft: string) => Promise<T>): Promise<T> {
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
