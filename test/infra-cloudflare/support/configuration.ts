import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { regoCompiler } from "../../../infra/node/files/rego-compiler.ts";
import { compileConfiguration } from "../../../lib/config/compile.ts";
import type { ReadDocument } from "../../../lib/config/document-source.ts";
import { formatMessage } from "../../../lib/config/messages.ts";

export interface CompiledConfiguration {
  /** Absolute path of the artifact. */
  readonly path: string;
  remove(): Promise<void>;
}

const REFUSE: ReadDocument = (uri) => Promise.reject(new Error(`${uri} is not part of the test`));

/**
 * Compiles a YAML document as the build does for the edge.
 * @param readDocument absent: it refers to no other file
 */
export async function compiledConfiguration(
  yaml: string,
  readDocument: ReadDocument = REFUSE,
): Promise<CompiledConfiguration> {
  const compiled = await compileConfiguration(yaml, {
    file: "countersign.yaml",
    readDocument,
    rego: regoCompiler("/", {}),
  });
  if ("errors" in compiled) throw new Error(compiled.errors.map(formatMessage).join("\n"));
  const folder = await mkdtemp(join(tmpdir(), "countersign-workerd-"));
  const path = join(folder, "configuration.json");
  await writeFile(path, JSON.stringify(compiled.artifact));
  return { path, remove: () => rm(folder, { recursive: true }) };
}
