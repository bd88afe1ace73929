import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { partFile } from "../../lib/config/locator.ts";
import { ConfigurationError, type ConfigurationMessage } from "../../lib/config/messages.ts";
import { decodeYaml } from "../../lib/config/yaml/decode.ts";
import { type DocumentPart, mergeYaml } from "../../lib/config/yaml/merge.ts";
import type { YamlDocument } from "../../lib/config/yaml/plain.ts";
import { readYaml } from "../../lib/config/yaml/read.ts";
import { fileErrorReason } from "./files/file-error.ts";

/** What `-config` names, read and not checked yet. */
export interface ReadConfiguration {
  readonly yaml: YamlDocument;
  /** Where relative paths in it begin. */
  readonly folder: string;
}

/** Each is read as a whole: a folder that was not meant is told of early. */
const MOST_FILES = 256;

/**
 * Reads a YAML file, or a folder's `*.yaml` and `*.yml` in the order of their names' bytes as one document. Hidden files, such
 * as those of Kubernetes beside a ConfigMap's, are left out, and folders in it are not looked into.
 * @throws ConfigurationError where a file cannot be read as text; mistakes in the YAML are in the document
 */
export async function readConfiguration(path: string): Promise<ReadConfiguration> {
  const stats = await stat(path).catch((error: unknown) => unreadable(path, error));
  if (stats.isDirectory()) return { yaml: mergeYaml(path, await partsOfOneVersion(path)), folder: path };
  const text = await readText(path, path);
  return { yaml: readYaml(text, path), folder: dirname(path) };
}

/** How often a folder is read again because it was replaced meanwhile. */
const MOST_ATTEMPTS = 10;

/** Kubernetes replaces all files of a ConfigMap at once, by a link beside them: files of two versions are never one document. */
async function partsOfOneVersion(folder: string): Promise<readonly DocumentPart[]> {
  const version = () => readlink(join(folder, "..data")).catch(() => undefined);
  for (let attempt = 1; ; attempt++) {
    const before = await version();
    const read = await partsOf(folder).catch((error: unknown) => ({ error }));
    if ((await version()) === before) {
      if ("error" in read) throw read.error;
      return read;
    }
    if (attempt === MOST_ATTEMPTS) refuse(folder, "cannot be read: its files are replaced all the time");
  }
}

async function partsOf(folder: string): Promise<readonly DocumentPart[]> {
  const all = await readdir(folder).catch((error: unknown) => unreadable(folder, error));
  const names = all.filter((name) => /^[^.].*\.ya?ml$/s.test(name)).sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
  if (names.length === 0) refuse(folder, "found a folder without files; accepted: *.yaml and *.yml in it");
  if (names.length > MOST_FILES) refuse(folder, `found ${names.length} YAML files; accepted: at most ${MOST_FILES}`);
  const parts: DocumentPart[] = [];
  const errors: ConfigurationMessage[] = [];
  for (const name of names) {
    try {
      parts.push({ name, text: await readPart(join(folder, name), partFile(folder, name)) });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      errors.push(...error.messages);
    }
  }
  if (errors.length > 0) throw new ConfigurationError(errors);
  return parts;
}

/** Reading a pipe would wait for its writer. */
async function readPart(path: string, file: string): Promise<string> {
  const stats = await stat(path).catch((error: unknown) => unreadable(file, error));
  if (!stats.isFile()) refuse(file, `cannot be read: it is ${stats.isDirectory() ? "a folder" : "no regular file"}`);
  return readText(path, file);
}

async function readText(path: string, file: string): Promise<string> {
  const content = await readFile(path).catch((error: unknown) => unreadable(file, error));
  const decoded = decodeYaml(content, file);
  if ("errors" in decoded) throw new ConfigurationError(decoded.errors);
  return decoded.text;
}

function bytes(text: string): Buffer {
  return Buffer.from(text, "utf8");
}

function unreadable(file: string, error: unknown): never {
  return refuse(file, `cannot be read: ${fileErrorReason(error)}`);
}

function refuse(file: string, message: string): never {
  throw new ConfigurationError([{ file, line: 1, column: 1, path: "", message }]);
}
