import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { copyConsole } from "./console/copy.ts";
import { webauthnWithoutCertificates } from "./webauthn-bundle.ts";

export interface LambdaBundle {
  /** The compiled configuration of the stage. */
  readonly configuration: string;
  /** Receives `handler.mjs`, what it loads on demand, `configuration.json` and the folder `console`; emptied before. */
  readonly folder: string;
  /** Folder with a build of the Console; absent: the function has no pages. */
  readonly consoleBuild?: string;
}

/**
 * Bundles the Lambda function, all packages included, and the configuration it reads at start. Modules that are imported on
 * demand stay in files of their own: an instance compiles what its configuration and its requests need.
 */
export async function bundleLambda({ configuration, folder, consoleBuild }: LambdaBundle): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await copyFile(configuration, join(folder, "configuration.json"));
  if (consoleBuild !== undefined) await copyConsole(consoleBuild, join(folder, "console"));
  await build({
    entryPoints: { handler: fileURLToPath(new URL("../aws/lambda.ts", import.meta.url)) },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    // Names stay, for stack traces. `keepNames` would restore shortened ones by a call for each at every start.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [configurationBeside, webauthnWithoutCertificates],
    banner: { js: REQUIRE_FOR_COMMONJS },
  });
}

/** Bytes of the code in a folder that `bundleLambda` filled. */
export interface LambdaSize {
  readonly files: number;
  readonly plain: number;
  /** The sum of the files after gzip. */
  readonly compressed: number;
}

export async function lambdaSize(folder: string): Promise<LambdaSize> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".mjs"));
  const modules = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const zipped = await Promise.all(modules.map((module) => promisify(gzip)(module)));
  const sum = (parts: readonly Buffer[]) => parts.reduce((bytes, { length }) => bytes + length, 0);
  return { files: names.length, plain: sum(modules), compressed: sum(zipped) };
}

/** CommonJS packages in the bundle ask for Node's own modules with `require`, which ES modules lack. */
const REQUIRE_FOR_COMMONJS =
  'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);';

/** Leaves the configuration outside of the bundle, as the JSON file beside it. */
const configurationBeside: Plugin = {
  name: "configuration-beside",
  setup({ onResolve }) {
    onResolve({ filter: /^countersign:configuration$/ }, () => ({ path: "./configuration.json", external: true }));
  },
};
