import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { isJsonObject, type JsonObject } from "../../lib/kernel/json.ts";

/** An OpenAPI document as its authors wrote it. */
export interface CorpusDocument {
  readonly name: string;
  readonly text: string;
  readonly json: JsonObject;
}

const PATTERNS = ["*.json", "*.json.gz", "*.yaml"];

/** The documents of a folder; none when it does not exist. */
export function documentsIn(folder: string): readonly CorpusDocument[] {
  if (!existsSync(folder)) return [];
  const paths = PATTERNS.flatMap((pattern) => globSync(join(folder, pattern))).sort();
  return paths.map((path) => read(basename(path).replace(/\.gz$/, ""), path));
}

const EXAMPLES = "node_modules/@readme/oas-examples";

/** Every document of `@readme/oas-examples`: 2.0, 3.0 and 3.1, JSON and YAML. */
export function exampleDocuments(): readonly CorpusDocument[] {
  const paths = globSync(join(EXAMPLES, "{2.0,3.0,3.1}/{json,yaml}/**/*.{json,yaml,yml}")).sort();
  return paths
    .map((path) => read(relative(EXAMPLES, path), path))
    .filter(({ json }) => json.paths !== undefined || json.info !== undefined);
}

export function read(name: string, path: string): CorpusDocument {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  // A byte order mark is white space here.
  const json: unknown = text.trimStart().startsWith("{")
    ? JSON.parse(text.trimStart())
    : parse(text, { maxAliasCount: 1000 });
  return { name, text, json: isJsonObject(json) ? json : {} };
}
