import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generatedFiles, PAGE } from "./reference/files.ts";

/** Writes what is made of the configuration's schema: the tables of keys, and the JSON Schema for editors. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(root + PAGE, "utf8");
for (const [path, text] of Object.entries(generatedFiles(page))) {
  writeFileSync(root + path, text);
  process.stderr.write(`${path}\n`);
}
