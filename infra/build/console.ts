import { fileURLToPath } from "node:url";
import { buildConsole } from "./console/build.ts";

/** `npm run build:console`: builds the Console into `dist/console/` and prints what pages weigh. */
for (const line of await buildConsole(fileURLToPath(new URL("../../", import.meta.url)))) console.log(line);
