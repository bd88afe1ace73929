import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const FOLDER = fileURLToPath(new URL("../../../shared/data/openapi", import.meta.url));

/** Where GitHub's OpenAPI document is expected; too large to be part of the project. */
export function gitHubDocumentFile(): string {
  return join(process.env.COUNTERSIGN_OPENAPI_DOCUMENTS ?? FOLDER, "github.json.gz");
}

/** The document's text; undefined when it is not there. */
export function readGitHubDocument(): string | undefined {
  const file = gitHubDocumentFile();
  return existsSync(file) ? gunzipSync(readFileSync(file)).toString() : undefined;
}
