import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./console/build.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** `npm run build:console`: builds the Console into `dist/console/` and prints how large it is as browsers load it. */
await buildConsole(ROOT);
const files = (await readdir(join(ROOT, "dist/console"), { recursive: true })).filter((path) => path.endsWith(".br"));
const sizes = await Promise.all(files.map(async (path) => (await stat(join(ROOT, "dist/console", path))).size));
const total = sizes.reduce((sum, size) => sum + size, 0);
console.log(`dist/console/  brotli ${(total / 1024).toFixed(1)} KiB`);
