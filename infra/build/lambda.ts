import { consoleFolder } from "../node/console/folder.ts";
import { ensureConsole } from "./console/ensure.ts";
import { bundleLambda, lambdaSize } from "./lambda-bundle.ts";

const ROOT = new URL("../../", import.meta.url);

/** Bundles both stages' functions into `dist/lambda/<stage>/` and prints their sizes. */
async function buildLambdas(): Promise<void> {
  const consoleBuild = consoleFolder(process.env);
  process.chdir(new URL(ROOT).pathname);
  await ensureConsole(console.log);
  for (const stage of ["us", "uk"]) {
    const folder = `dist/lambda/${stage}`;
    await bundleLambda({ configuration: `dist/configuration/${stage}.json`, folder, consoleBuild });
    const { plain, compressed, files } = await lambdaSize(folder);
    console.log(`${folder}/handler.mjs  ${files} files, ${kibibytes(plain)}, gzip ${kibibytes(compressed)}`);
  }
}

function kibibytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

await buildLambdas();
