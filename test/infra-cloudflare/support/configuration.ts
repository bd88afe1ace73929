import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileConfiguration } from "../../../lib/config/compile.ts";
import { formatMessage } from "../../../lib/config/messages.ts";

export interface CompiledConfiguration {
  /** Absolute path of the artifact. */
  readonly path: string;
  remove(): Promise<void>;
}

/** Compiles a YAML document that refers to no other file, as the build does for the edge. */
export async function compiledConfiguration(yaml: string): Promise<CompiledConfiguration> {
  const readDocument = (uri: string) => Promise.reject(new Error(`${uri} is not part of the test`));
  const compiled = await compileConfiguration(yaml, { file: "countersign.yaml", readDocument });
  if ("errors" in compiled) throw new Error(compiled.errors.map(formatMessage).join("\n"));
  const folder = await mkdtemp(join(tmpdir(), "countersign-workerd-"));
  const path = join(folder, "configuration.json");
  await writeFile(path, JSON.stringify(compiled.artifact));
  return { path, remove: () => rm(folder, { recursive: true }) };
}
