import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { StartupError } from "../startup-error.ts";
import { fileErrorReason } from "./file-error.ts";

/** Writes an artifact as one line of JSON, whole or not at all; folders on the way are made. */
export async function writeArtifact(file: string, artifact: ConfigurationArtifact): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    const partial = `${file}.${process.pid}`;
    await writeFile(partial, `${JSON.stringify(artifact)}\n`);
    await rename(partial, file);
  } catch (error) {
    throw new StartupError(`${file} cannot be written: ${fileErrorReason(error)}.`, { cause: error });
  }
}
