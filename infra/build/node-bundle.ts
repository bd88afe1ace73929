import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Metafile, type Plugin } from "esbuild";
import { recordSources } from "../node/bundle-sources.ts";
import { isLeftOut, webauthnWithoutCertificates } from "./webauthn-bundle.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Where the bundle stands in the repository; what it reads from `dist/` is beside it, as in the package. */
const NODE_BUNDLE = "dist/node";

/** What is started by its path: the command and the threads, under the names that they have in the bundle. */
const ENTRIES: Readonly<Record<string, string>> = {
  countersign: "infra/node/bundled.ts",
  "configuration-thread": "infra/node/configuration-thread/thread.ts",
  "store-thread": "infra/node/store-thread/thread.ts",
  checkpointer: "infra/node/store-thread/checkpointer.ts",
};

/**
 * The bundle with a record of the sources that it was made of.
 * @param folder in `dist/`; resolves to it
 */
export async function bundleBesideSources(folder = NODE_BUNDLE): Promise<string> {
  const metafile = await bundleNode(folder);
  const own = Object.keys(metafile.inputs).filter((path) => !/(^|\/)node_modules\//.test(path) && !isLeftOut(path));
  recordSources(ROOT, join(ROOT, folder), [...own, ...ALSO]);
  return folder;
}

/** What the bundle depends on besides the files in it: how it is made, and the versions of packages. */
const ALSO: readonly string[] = ["infra/build/node-bundle.ts", "infra/build/webauthn-bundle.ts", "package-lock.json"];

/**
 * Bundles the server and the commands for Node, all packages included: modules that a command or a configuration does not
 * need stay in files that are not read. Resolves to what esbuild says about it.
 * @param folder in the repository, emptied before
 */
export async function bundleNode(folder: string): Promise<Metafile> {
  await rm(join(ROOT, folder), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: folder,
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node22.19",
    format: "esm",
    mainFields: ["module", "main"],
    // Names of functions and classes stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    keepNames: true,
    legalComments: "none",
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: "warning",
    plugins: [filesBeside, webauthnWithoutCertificates],
    banner: { js: REQUIRE_FOR_COMMONJS },
  });
  return metafile;
}

/** CommonJS packages in the bundle ask for Node's own modules with `require`, which ES modules lack. */
const REQUIRE_FOR_COMMONJS =
  'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);';

const FILE_BESIDE = /new URL\("(\.[^"]*)", import\.meta\.url\)/g;

/** Sources name files relative to themselves, which their code in the bundle is not: each becomes relative to the bundle. */
const filesBeside: Plugin = {
  name: "files-beside",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]infra[\\/]node[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source.replaceAll(FILE_BESIDE, (_, reference: string) => {
        const named = relative(ROOT, fileURLToPath(new URL(reference, pathToFileURL(path))));
        return `new URL(${JSON.stringify(placeOf(named, path))}, import.meta.url)`;
      });
      return { contents, loader: "ts" };
    });
  },
};

/** Where a file of the repository is, seen from the bundle. */
function placeOf(file: string, namedBy: string): string {
  const entry = Object.entries(ENTRIES).find(([, source]) => source === file);
  if (entry !== undefined) return `./${entry[0]}.js`;
  if (file === "" || `${file}/`.startsWith("dist/")) return relative(NODE_BUNDLE, file) || ".";
  throw new Error(
    `${namedBy} names ${file}, which is not in the bundle: make it an entry of infra/build/node-bundle.ts.`,
  );
}
