import { readFile, stat, writeFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { stringify } from "yaml";
import { ConfigurationError } from "../../../lib/config/messages.ts";
import { decodeYaml } from "../../../lib/config/yaml/decode.ts";
import { readYaml } from "../../../lib/config/yaml/read.ts";
import { BundleError, type PublisherKeys, readPublisherKeys } from "../../../lib/deployment/bundle.ts";
import { RefusedError } from "../exit-codes.ts";
import { fileErrorReason, hasCode } from "../files/file-error.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { required } from "./administer.ts";
import { mustBeSigned, SIGNATURE } from "./import/signed-files.ts";
import { ArchiveError, filesOfTar } from "./import/tar.ts";
import { readKey } from "./read-key.ts";
import { printableLine } from "./tools/table.ts";

/** Of the archive, packed and unpacked. */
const MOST_BYTES = 20 * 1024 * 1024;
const CONFIGURATIONS = ["maverics.json", "maverics.yaml", "maverics.yml"];

/**
 * `countersign import-bundle -bundle FILE -publicKey FILE [-out FILE]`: verifies a signed bundle of a comparable product, and prints
 * the configuration in it as YAML, which `migrate` goes on with. Other files of the bundle are named and left out.
 * @throws RefusedError when the bundle is not what the key has signed; ConfigurationError when its configuration cannot be read
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, { bundle: "string", publicKey: "string", out: "string" });
  const file = required(flags.bundle, "bundle FILE");
  const keys = await keysIn(required(flags.publicKey, "publicKey FILE"));
  const files = await verified(file, keys);
  const found = CONFIGURATIONS.filter((name) => files.has(name));
  const [name, second] = found;
  if (name === undefined || second !== undefined) {
    const what = name === undefined ? "no configuration" : found.join(" and ");
    throw new UsageError(`${file}: the bundle has ${what}; accepted: one of ${CONFIGURATIONS.join(", ")}.`);
  }
  const text = configurationIn(files.get(name) ?? new Uint8Array(), name);
  if (flags.out === undefined) io.stdout(text);
  else await write(flags.out, text);
  for (const [other, { length }] of files) {
    if (other === name || other === SIGNATURE) continue;
    io.stderr(`  left out: ${printableLine(other)} (${length} bytes)\n`);
  }
  const next = flags.out ?? "FILE";
  io.stderr(`${file}: signed, with ${files.size - 1} files; next: countersign migrate -config ${next}\n`);
  return 0;
}

async function keysIn(path: string): Promise<PublisherKeys> {
  try {
    return await readPublisherKeys(await readKey(path));
  } catch (error) {
    if (error instanceof BundleError) throw new UsageError(`${path} ${error.message}.`);
    throw error;
  }
}

async function verified(file: string, keys: PublisherKeys): Promise<ReadonlyMap<string, Uint8Array>> {
  try {
    const files = filesOfTar(await unpacked(file));
    await mustBeSigned(files, keys);
    return files;
  } catch (error) {
    if (error instanceof ArchiveError) throw new RefusedError(`${file}: the bundle ${error.message}.`);
    throw error;
  }
}

async function unpacked(file: string): Promise<Uint8Array> {
  const unreadable = (error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${fileErrorReason(error)}.`);
  };
  if ((await stat(file).catch(unreadable)).size > MOST_BYTES) throw tooLarge();
  const bytes = await readFile(file).catch(unreadable);
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (cause) {
    if (hasCode(cause, "ERR_BUFFER_TOO_LARGE")) throw tooLarge();
    throw new ArchiveError("is no gzip file, or a damaged one", { cause });
  }
}

function tooLarge(): ArchiveError {
  return new ArchiveError(`is larger than ${MOST_BYTES} bytes`);
}

/** What it says is looked at by `migrate` and `validate`; here it only has to say one thing. */
function configurationIn(bytes: Uint8Array, name: string): string {
  const decoded = decodeYaml(bytes, name);
  if ("errors" in decoded) throw new ConfigurationError(decoded.errors);
  const { text } = decoded;
  const { document, errors } = readYaml(text, name);
  const twice = errors.filter(({ message }) => message === "found the same key twice");
  if (document === undefined) throw new ConfigurationError(errors);
  if (twice.length > 0) throw new ConfigurationError(twice);
  if (!name.endsWith(".json")) return text;
  try {
    return stringify(JSON.parse(text), { lineWidth: 0 });
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ConfigurationError([{ file: name, line: 1, column: 1, path: "", message: "found no JSON" }]);
  }
}

/** It may hold secrets, and replaces no file. */
async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be written: ${fileErrorReason(error)}.`);
  });
}
