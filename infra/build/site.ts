import { fileURLToPath } from "node:url";
import { buildSite } from "./site/build.ts";
import { PageError } from "./site/markdown.ts";

/** `npm run docs`: builds the documentation site into `dist/docs-site`. */
const root = fileURLToPath(new URL("../../", import.meta.url));
try {
  const pages = await buildSite(root, `${root}dist/docs-site`);
  console.log(`dist/docs-site: ${pages} pages. Read them with \`npm run docs:serve\`.`);
} catch (error) {
  if (!(error instanceof PageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
