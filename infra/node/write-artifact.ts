import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { fileErrorReason } from "./file-error.ts";
import { StartupError } from "./startup-error.ts";

/** Writes an artifact as one line of JSON; folders on the way are made. */
export async function writeArtifact(file: string, artifact: ConfigurationArtifact): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(artifact)}\n`);
  } catch (error) {
    throw new StartupError(`${file} cannot be written: ${fileErrorReason(error)}.`, { cause: error });
  }
}
