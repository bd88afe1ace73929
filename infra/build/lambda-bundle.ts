import { copyFile, cp, mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

export interface LambdaBundle {
  /** The compiled configuration of the stage. */
  readonly configuration: string;
  /** Receives `handler.mjs` and, beside it, `configuration.json` and the folder `console`; emptied before. */
  readonly folder: string;
  /** Folder with a build of the Console; absent: the function has no pages. */
  readonly consoleBuild?: string;
}

/** Bundles the Lambda function: one module with everything it imports, and the configuration it reads at start. */
export async function bundleLambda({ configuration, folder, consoleBuild }: LambdaBundle): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await copyFile(configuration, join(folder, "configuration.json"));
  if (consoleBuild !== undefined) await copyConsole(consoleBuild, join(folder, "console"));
  await build({
    entryPoints: [fileURLToPath(new URL("../aws/lambda.ts", import.meta.url))],
    outfile: join(folder, "handler.mjs"),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    minify: true,
    keepNames: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [configurationBeside],
    banner: { js: REQUIRE_FOR_COMMONJS },
  });
}

/** All but what is about the build. */
async function copyConsole(build: string, target: string): Promise<void> {
  await cp(build, target, { recursive: true, filter: (path) => path === build || !basename(path).startsWith(".") });
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
