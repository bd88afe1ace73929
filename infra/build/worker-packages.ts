import { cp, rm, writeFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleWebauthn } from "./webauthn-bundle.ts";

/** Where `wrangler.toml` expects the packages that the Worker has without what it does not need: wrangler takes no plugins. */
const FOLDER = fileURLToPath(new URL("../../dist/worker-packages", import.meta.url));

/** Files that the package's other files import, and that the Worker never calls, by package (D237). */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  // Writes schemas as JSON Schema, for the reference and for editors; and code for `eval`, which Workers do not have.
  zod: ["v4/core/json-schema-processors.js", "v4/core/to-json-schema.js", "v4/core/doc.js"],
  // The histograms of `METRICS` have boundaries.
  "@opentelemetry/sdk-metrics": ["dist/aggregator/ExponentialHistogram.mjs"],
};

/** Files of which the Worker calls what need not do anything, by package. */
const WITHOUT_EFFECT: Readonly<Record<string, readonly string[]>> = {
  // Its own words for mistakes: ours stand in the schemas.
  // Reads values that contain themselves. What is read on Workers was JSON, which has none. `zod/mini` comes without it, too.
  zod: ["v4/locales/en.js", "v4/core/memoizer.js"],
  // Words about one instrument that is made in two ways. `METRICS` makes each in one.
  "@opentelemetry/sdk-metrics": ["dist/view/RegistrationConflicts.mjs"],
};

/** Writes all packages that `wrangler.toml` names in `[alias]`. Rejects when one no longer has a file that is left out. */
export async function writeWorkerPackages(folder: string = FOLDER): Promise<void> {
  await Promise.all([
    bundleWebauthn(join(folder, "webauthn.js")),
    ...Object.entries(LEFT_OUT).map(([name, files]) => copyPackage(name, files, join(folder, name))),
  ]);
}

/** A copy, so that the bundler takes what is used, as it does from the package itself. */
async function copyPackage(name: string, leftOut: readonly string[], to: string): Promise<void> {
  const description = findPackageJSON(name, import.meta.url);
  if (description === undefined) throw new Error(`${name} is not installed.`);
  const from = dirname(description);
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true, filter: (path) => BUNDLED.includes(extname(path)) });
  for (const file of leftOut) await writeFile(join(to, file), await replaced(join(from, file), "undefined"));
  for (const file of WITHOUT_EFFECT[name] ?? []) {
    await writeFile(join(to, file), await replaced(join(from, file), "() => undefined"));
  }
}

/** Folders, modules, and descriptions of packages. */
const BUNDLED: readonly string[] = ["", ".js", ".mjs", ".json"];

/** A module with all names of another, and one value behind them. */
async function replaced(file: string, value: string): Promise<string> {
  const names = Object.keys((await import(pathToFileURL(file).href)) as object);
  return names.map((name) => `export ${name === "default" ? "default" : `const ${name} =`} ${value};\n`).join("");
}
