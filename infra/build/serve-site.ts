import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serveSite } from "./site/serve.ts";

/** `npm run docs:serve`: the site that `npm run docs` built, on port 8090 or `PORT`, until Ctrl-C. */
const folder = fileURLToPath(new URL("../../dist/docs-site", import.meta.url));
if (existsSync(folder)) {
  const { url } = await serveSite(folder, Number(process.env.PORT ?? 8090));
  console.log(`The documentation is at ${url}`);
} else {
  console.error("There is no site yet: run `npm run docs` first.");
  process.exitCode = 1;
}
