import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compressFiles } from "../../infra/build/console/compress.ts";
import { documentOfAll } from "../../lib/management/document.ts";
import { MANAGEMENT_DOCUMENT } from "../../lib/management/document-file.ts";
import { type Built, builtOnce } from "./shared-run/built-once.ts";

/** Names and contents as the build of the Console leaves them, but small. */
export const CONSOLE_FILES = {
  "index.html": `<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><title>Console of the tests</title>
<script type="module" src="/console/assets/index-BtR1x9Qz.js"></script><style nonce="__CSP_NONCE__">body{}</style>`,
  "assets/index-BtR1x9Qz.js": `${"console.log('a page of the Console');\n".repeat(100)}`,
  "assets/_shared-D4-eWq_7.css": "body { margin: 0 }\n",
  "favicon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  ".assetsignore": "*.br\n*.gz\n.*\n",
  ".sources": "a hash",
} as const;

/** What Workers alone read; the build does not compress it. */
const OF_WORKERS = JSON.stringify(documentOfAll());

/** A folder with a tiny build of the Console, in the place of the one that `npm run build:console` makes. */
export function tinyConsole(): Promise<Built> {
  return builtOnce(["console", JSON.stringify(CONSOLE_FILES), OF_WORKERS], async (folder) => {
    await mkdir(join(folder, "assets"));
    for (const [path, content] of Object.entries(CONSOLE_FILES)) await writeFile(join(folder, path), content);
    await compressFiles(folder);
    await writeFile(join(folder, MANAGEMENT_DOCUMENT), OF_WORKERS);
  });
}
