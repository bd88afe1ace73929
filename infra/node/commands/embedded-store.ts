import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { withoutUpstreamCredentials } from "../../../lib/config/artifact.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { resolveConfiguration } from "../../../lib/config/resolve.ts";
import { ProblemError } from "../../../lib/kernel/problem.ts";
import { isDebugMode } from "../../../lib/logging/logger-configuration.ts";
import { configurationFile } from "../configuration-file.ts";
import { openNodeDependencies } from "../dependencies.ts";
import { RefusedError } from "../exit-codes.ts";
import type { CommandIo } from "../io.ts";
import { loadConfiguration } from "../load-configuration.ts";
import { openSecrets } from "../secrets.ts";
import { StartupError } from "../startup-error.ts";
import { namingStore } from "../store-folder/unusable-store.ts";
import { UsageError } from "../usage-error.ts";

/** Flags of every command that works on the embedded store. */
export const STORE_FLAGS = { config: "string", secretProvider: "string", verbose: "boolean" } as const;

export interface StoreFlags {
  readonly config?: string;
  readonly secretProvider?: string;
  readonly verbose?: boolean;
}

/**
 * Does work on the embedded store of this machine, also while a server runs on it, and closes it whatever happens.
 * @param check throws when the folder of the store will not do
 * @throws UsageError, RefusedError where the work was refused with a ProblemError: each fault in one line
 */
export async function withEmbeddedStore<T>(
  flags: StoreFlags,
  io: CommandIo,
  work: (dependencies: Dependencies) => Promise<T>,
  check: (folder: string) => void = () => undefined,
): Promise<T> {
  const configuration = await storeConfiguration(flags, io);
  check(configuration.store.path);
  const verbose = flags.verbose === true || isDebugMode(io.environment);
  const store = openNodeDependencies(configuration, { write: (line) => io.stderr(`${line}\n`), verbose });
  try {
    return await work(store.dependencies);
  } catch (error) {
    throw error instanceof ProblemError ? refusal(error) : namingStore(error, configuration.store.path);
  } finally {
    await store.close();
  }
}

/** @throws StartupError when the folder holds no store; it is named in full, for the working directory may be another one */
export function refuseAbsentStore(folder: string): void {
  if (hasStore(folder)) return;
  throw new StartupError(`There is no store in ${resolve(folder)}: ${fileIn(folder)} does not exist.`);
}

/** Whether a folder holds a store. */
export function hasStore(folder: string): boolean {
  return statSync(fileIn(folder), { throwIfNoEntry: false }) !== undefined;
}

function fileIn(folder: string): string {
  return resolve(folder, "countersign.db");
}

/** The configuration of the flags as far as the store needs it: without what calls of APIs carry. */
export async function storeConfiguration(flags: StoreFlags, io: CommandIo): Promise<Configuration> {
  return resolved(withoutUpstreamCredentials(await loaded(flags, io)), flags, io);
}

/** The configuration of the flags with everything filled in, as a server on this machine would have it. */
export async function wholeConfiguration(flags: StoreFlags, io: CommandIo): Promise<Configuration> {
  return resolved(await loaded(flags, io), flags, io);
}

/** The compiled configuration of the flags, with nothing filled in. */
export function loaded({ config }: StoreFlags, { environment }: CommandIo): Promise<ConfigurationArtifact> {
  return loadConfiguration(configurationFile(config, environment));
}

async function resolved(
  artifact: ConfigurationArtifact,
  { secretProvider }: StoreFlags,
  { environment }: CommandIo,
): Promise<Configuration> {
  const secrets = await openSecrets(secretProvider, environment);
  const { configuration } = await resolveConfiguration(artifact, { environment, secrets, runtime: "node" });
  return configuration;
}

/** The fields of a command are its flags: `/scopes/1` is said of `-scopes`. */
function refusal({ message, fields }: ProblemError): UsageError | RefusedError {
  const faults = fields.map(({ pointer, detail }) => {
    const [name, index] = pointer.slice(1).split("/");
    return index === undefined ? `-${name} ${detail}` : `-${name}: entry ${Number(index) + 1} ${detail}`;
  });
  return faults.length === 0 ? new RefusedError(message) : new UsageError(`${faults.join("; ")}.`);
}
