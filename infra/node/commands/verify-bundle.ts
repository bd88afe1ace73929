import { readFile } from "node:fs/promises";
import { artifactOf, BundleError, openBundle } from "../../../lib/deployment/bundle.ts";
import { RefusedError } from "../exit-codes.ts";
import { fileErrorReason } from "../files/file-error.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { required } from "./administer.ts";
import { countTools } from "./catalog-summary.ts";
import { keysIn } from "./publish.ts";

/** `countersign verify-bundle -bundle FILE -keys FILE`: what a bundle says, when one of the keys has signed it. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, { bundle: "string", keys: "string" });
  const file = required(flags.bundle, "bundle FILE");
  const keys = await keysIn(required(flags.keys, "keys FILE"));
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${fileErrorReason(error)}.`);
  });
  try {
    const publication = await openBundle(new Uint8Array(bytes), keys);
    const { artifact: _, ...said } = publication;
    const artifact = artifactOf(publication);
    io.stdout(`${JSON.stringify({ ...said, source: artifact.source, tools: countTools(artifact) ?? "no tools" })}\n`);
    return 0;
  } catch (error) {
    if (error instanceof BundleError) throw new RefusedError(`${file}: the bundle ${error.message}.`);
    throw error;
  }
}
