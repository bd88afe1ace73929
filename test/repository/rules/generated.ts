import { generatedFiles, PAGE } from "../../../infra/build/reference/files.ts";
import { documentKeys } from "../../../infra/build/reference/keys.ts";
import { documentJsonSchema } from "../../../lib/config/json-schema.ts";
import type { Finding, RepositoryFile } from "../files.ts";

/** The tables of keys and the JSON Schema are what the configuration's schema says, and it says what each key means. */
export function checkGenerated(files: readonly RepositoryFile[]): readonly Finding[] {
  const page = files.find(({ path }) => path === PAGE);
  if (page === undefined) return [{ path: PAGE, message: "is missing." }];
  const stale = Object.entries(generatedFiles(page.text))
    .filter(([path, text]) => files.find((file) => file.path === path)?.text !== text)
    .map(([path]) => ({ path, message: "is not what the schema says; run `npm run build:reference`." }));
  const unexplained = documentKeys(documentJsonSchema())
    .filter(({ meaning }) => meaning === undefined)
    .map(({ key }) => ({ path: "lib/config/schema", message: `says nothing about ${key}; wrap it in described().` }));
  return [...unexplained, ...stale];
}
