import { type Document, parseDocument, visit } from "yaml";
import { isJsonObject } from "../kernel/json.ts";
import { oneFlight } from "./one-flight.ts";
import type { ReadFile, SecretSources } from "./provider.ts";
import { SecretError, type SecretProvider } from "./provider.ts";

type Entry = { readonly value: string } | { readonly file: string };

/**
 * `secretfile:///abs/path.yaml`, for development: a YAML file whose top-level `secrets` maps `ns.key` to text, to
 * `{value: text}` or to `{file: path}`. One line break at the end of such a file is no part of the secret. The file is
 * read whenever secrets are asked for, so that a change of it takes effect.
 * @throws SecretError (rejects) that names the file and quotes nothing of it
 */
export async function openSecretFile(url: string, { readFile }: SecretSources): Promise<SecretProvider> {
  const path = pathOf(url);
  if (readFile === undefined) throw new SecretError("The secret provider secretfile needs files, which are not here.");
  const readEntries = oneFlight(async () => parseEntries(await read(readFile, path), path));
  await readEntries(path, "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return {
    async get(reference) {
      const entry = (await readEntries(path, reference)).get(reference);
      if (entry === undefined) throw new SecretError(`the secret <${reference}> is not in the secret file ${path}`);
      const value = "value" in entry ? entry.value : (await read(readFile, entry.file, folder)).replace(/\r?\n$/, "");
      if (value === "") throw new SecretError(`the secret <${reference}> is empty in the secret file ${path}`);
      return value;
    },
  };
}

function pathOf(url: string): string {
  const rest = url.slice("secretfile://".length);
  if (!rest.startsWith("/")) {
    throw new SecretError("The secret provider secretfile takes an absolute path: secretfile:///path/to/secrets.yaml.");
  }
  try {
    return decodeURIComponent(rest);
  } catch (cause) {
    throw new SecretError("The path of the secret provider secretfile has a malformed % escape.", { cause });
  }
}

async function read(readFile: ReadFile, path: string, folder?: string): Promise<string> {
  try {
    return await readFile(path, folder);
  } catch (cause) {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    throw new SecretError(`the secret file ${path} cannot be read${reason}`, { cause });
  }
}

/** The parser's own messages can quote the file, so that none of them is passed on. */
function parseEntries(text: string, path: string): ReadonlyMap<string, Entry> {
  const document = parseDocument(text, { prettyErrors: false, logLevel: "silent" });
  const invalid = (what: string) => new SecretError(`the secret file ${path} is invalid: ${what}`);
  if (document.errors.length > 0 || hasAlias(document)) throw invalid("it is no YAML document without aliases");
  const secrets: unknown = document.toJS()?.secrets;
  if (!isJsonObject(secrets)) throw invalid("it has no mapping named secrets at the top");
  const entries = Object.entries(secrets).map(([reference, entry]) => [reference, parseEntry(entry)] as const);
  const mistaken = entries.filter(([, entry]) => entry === undefined).map(([reference]) => reference);
  if (mistaken.length > 0) {
    throw invalid(`neither text nor a mapping with value or file: ${mistaken.join(", ")}`);
  }
  return new Map(entries.flatMap(([reference, entry]) => (entry === undefined ? [] : [[reference, entry]])));
}

function parseEntry(entry: unknown): Entry | undefined {
  if (typeof entry === "string") return { value: entry };
  if (!isJsonObject(entry)) return undefined;
  const { value, file, ...others } = entry;
  if (Object.keys(others).length > 0) return undefined;
  if (typeof value === "string" && file === undefined) return { value };
  if (typeof file === "string" && file !== "" && value === undefined) return { file };
  return undefined;
}

function hasAlias(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}
