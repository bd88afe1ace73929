import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { compileConfiguration } from "../../../lib/config/compile.ts";
import { ConfigurationError, type ConfigurationMessage, formatMessage } from "../../../lib/config/messages.ts";
import { migrate } from "../../../lib/config/migrate.ts";
import { checkAhead } from "../../../lib/config/resolve.ts";
import { decodeYaml } from "../../../lib/config/yaml/decode.ts";
import { readYaml } from "../../../lib/config/yaml/read.ts";
import { configurationFile } from "../configuration-file.ts";
import { fileErrorReason } from "../files/file-error.ts";
import { documentReader } from "../files/read-document.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";

/** How messages call what goes to stdout. */
const NEW_FILE = "new file";

/**
 * `countersign migrate -config FILE`: prints a file of a comparable product as one of this product, and to stderr what was
 * changed, and what is left to do. The file itself stays as it is.
 * @throws ConfigurationError when it cannot be read
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { config } = parseFlags(args, { config: "string" });
  const file = configurationFile(config, io.environment);
  const migrated = migrate(await readText(file), file);
  if ("errors" in migrated) throw new ConfigurationError(migrated.errors);
  const { text, withoutRefused, done, left } = migrated;
  const found = [...left, ...(await checked(text, withoutRefused, dirname(file)))];
  io.stdout(text);
  for (const message of done) io.stderr(`${formatMessage(message)} (done)\n`);
  for (const message of found) io.stderr(`${formatMessage(message)} (left)\n`);
  io.stderr(`${file}: ${counted(done.length, "change")}, ${counted(found.length, "thing")} left to look at\n`);
  return 0;
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    const message = `cannot be read: ${fileErrorReason(error)}`;
    throw new ConfigurationError([{ file, line: 1, column: 1, path: "", message }]);
  });
  const decoded = decodeYaml(bytes, file);
  if ("errors" in decoded) throw new ConfigurationError(decoded.errors);
  return decoded.text;
}

/** What `validate` says of the new document: its mistakes, and the warnings about the rest of it. */
async function checked(text: string, withoutRefused: string, folder: string): Promise<readonly ConfigurationMessage[]> {
  const options = { file: NEW_FILE, readDocument: documentReader(folder) };
  const compiled = await compileConfiguration(text, options);
  if ("artifact" in compiled) return warningsOrMistakes(compiled.artifact);
  const rest = await compileConfiguration(withoutRefused, options);
  if ("errors" in rest) return compiled.errors;
  // Its lines are those of no file, but each place is in the new one, too.
  const { positions } = readYaml(text, NEW_FILE);
  const warnings = (await warningsOrMistakes(rest.artifact)).map((warning) => {
    const [line, column] = positions[warning.path] ?? [1, 1];
    return { ...warning, line, column };
  });
  return [...compiled.errors, ...warnings];
}

function warningsOrMistakes(artifact: Parameters<typeof checkAhead>[0]): Promise<readonly ConfigurationMessage[]> {
  return checkAhead(artifact, "node").catch((error: unknown) => {
    if (error instanceof ConfigurationError) return error.messages;
    throw error;
  });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
