import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isJsonObject } from "../../../../lib/kernel/json.ts";
import { pause } from "../../../../lib/kernel/timers.ts";
import { fileErrorReason, hasCode } from "../../files/file-error.ts";
import { makeFolder } from "../../files/make-folder.ts";
import type { CommandIo } from "../../io.ts";
import { isBusy, PAUSE } from "../../sqlite/busy.ts";
import { StartupError } from "../../startup-error.ts";

/** What a sign-in at one server left, for the next command. */
export interface KeptSignIn {
  /** The authorization server that gave all of it: what one knows, another must not get (RFC 9700 §4.4). */
  readonly issuer: string;
  readonly client: { readonly client_id: string; readonly client_secret?: string };
  /** Where browsers are sent back to, as the client was registered. */
  readonly redirectURL: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** As granted, with spaces between. */
  readonly scope?: string;
}

/** Sign-ins by the URL of the MCP server, in one file that nobody else may read. */
export interface KeptSignIns {
  /** @throws StartupError where the file cannot be read, or others may read it */
  of(url: string): KeptSignIn | undefined;
  /** @throws StartupError where the file cannot be written, or is none of these */
  keep(url: string, signIn: KeptSignIn): void;
  /** @throws StartupError where the file cannot be written */
  forget(url: string): void;
  /**
   * Does something while no other command of this user does. It must not do so inside of itself.
   * @throws StartupError where another command keeps on for a minute
   */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** The sign-ins of the user of this machine. */
export function keptSignIns(environment: CommandIo["environment"]): KeptSignIns {
  const folder = join(configurationFolder(environment), "countersign");
  const file = join(folder, "sign-ins.json");
  const write = (all: Readonly<Record<string, KeptSignIn>>) => {
    try {
      makeFolder(folder);
      replace(file, `${JSON.stringify(all, null, 2)}\n`);
    } catch (error) {
      throw new StartupError(`${file} cannot be written: ${fileErrorReason(error)}.`, { cause: error });
    }
  };
  return {
    of: (url) => {
      const all = read(file);
      return Object.hasOwn(all, url) ? all[url] : undefined;
    },
    keep: (url, signIn) => {
      const { [url]: _, ...others } = read(file);
      write({ ...others, [url]: signIn });
    },
    forget: (url) => {
      const { [url]: _, ...others } = read(file);
      write(others);
    },
    alone: (work) => alone(folder, work),
  };
}

/** Milliseconds; no answer of an authorization server is waited for as long. */
const LONGEST_WAIT = 60_000;

/** By a lock on an empty database: the system lets go of it when a process ends, however it ends. */
async function alone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const file = join(folder, "sign-ins.lock");
  const deadline = performance.now() + LONGEST_WAIT;
  makeFolder(folder);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    while (!isTaken(lock)) {
      if (performance.now() > deadline) throw new StartupError(`Another command has held ${file} for a minute.`);
      await pause(PAUSE);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** XDG Base Directory Specification; on Windows the folder of its applications. */
function configurationFolder({ XDG_CONFIG_HOME, APPDATA, HOME }: CommandIo["environment"]): string {
  // The specification wants relative ones ignored.
  if (XDG_CONFIG_HOME?.startsWith("/")) return XDG_CONFIG_HOME;
  return (process.platform === "win32" && APPDATA) || join(HOME || homedir(), ".config");
}

function read(file: string): Readonly<Record<string, KeptSignIn>> {
  let text: string;
  try {
    refuseOpenFile(file);
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return {};
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${file} cannot be read: ${fileErrorReason(error)}.`, { cause: error });
  }
  try {
    const all: unknown = JSON.parse(text);
    if (isJsonObject(all)) return all as unknown as Readonly<Record<string, KeptSignIn>>;
  } catch {
    // The text holds tokens: nothing of it is shown.
  }
  throw new StartupError(`${file} is damaged: delete it, and sign in again.`);
}

/** Whoever copied or restored it may have left it open to others, who have had the tokens since. */
function refuseOpenFile(file: string): void {
  const isOpen = process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0;
  if (isOpen) throw new StartupError(`Others may read ${file}, which has tokens: delete it, and sign in again.`);
}

/** Whole or not at all, and never for a moment with more rights. */
function replace(file: string, text: string): void {
  const partial = `${file}.${process.pid}`;
  rmSync(partial, { force: true });
  const descriptor = openSync(partial, "wx", 0o600);
  try {
    writeFileSync(descriptor, text, { flush: true });
  } finally {
    closeSync(descriptor);
  }
  renameSync(partial, file);
}
