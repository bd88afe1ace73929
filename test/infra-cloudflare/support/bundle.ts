import { readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unstable_readConfig } from "wrangler";
import { bundleWorker, WORKER_SOURCE } from "../../../infra/build/worker-bundle.ts";
import { writeWorkerPackages } from "../../../infra/build/worker-packages.ts";
import { builtOnce } from "../../support/shared-run/built-once.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface Bundle {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * The Worker as `wrangler deploy` would send it, with another configuration. A run of the tests bundles each Worker once:
 * the configuration, which is one literal of the bundle, is put in afterwards.
 *
 * @param configuration path of the file that `countersign:configuration` stands for, if the Worker has one
 * @param main another Worker than the product's, relative to the repository
 */
export async function bundledWorker(configuration: string | undefined, main = WORKER_SOURCE): Promise<Bundle> {
  const name = basename(main).replace(/\.[jt]s$/, ".js");
  const { folder, remove } = await builtOnce([main], (into) => bundle(into, main));
  const built = join(folder, "out", name);
  if (configuration === undefined) return { path: built, remove };
  const artifact = await readFile(configuration, "utf8");
  const configured = await builtOnce([main, artifact], async (into) => {
    await writeFile(join(into, name), withConfiguration(await readFile(built, "utf8"), artifact));
  });
  return {
    path: join(configured.folder, name),
    remove: async () => {
      await Promise.all([remove(), configured.remove()]);
    },
  };
}

/** In the place of a configuration. */
const PLACEHOLDER = "configuration of the tests";

/** In `wrangler.toml`. Each bundle of the tests has its own, as several are made at once. */
const DEPLOYED_PACKAGES = "./dist/worker-packages";

async function bundle(folder: string, main: string): Promise<void> {
  const deployed = unstable_readConfig({ config: `${ROOT}wrangler.toml`, env: "us" }, { hideWarnings: true });
  const placeholder = join(folder, "placeholder.json");
  const packages = join(folder, "packages");
  const config = {
    name: "countersign-test",
    compatibility_date: deployed.compatibility_date,
    compatibility_flags: deployed.compatibility_flags,
    alias: {
      ...Object.fromEntries(
        Object.entries(deployed.alias as Record<string, string>).map(([name, path]) => [
          name,
          path.replace(DEPLOYED_PACKAGES, packages),
        ]),
      ),
      "countersign:configuration": placeholder,
    },
  };
  await writeWorkerPackages(packages);
  // What they import themselves is where it is for the product.
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await writeFile(placeholder, JSON.stringify({ [PLACEHOLDER]: true }));
  await writeFile(join(folder, "wrangler.json"), JSON.stringify(config));
  await bundleWorker(join(folder, "out"), main, ["--config", join(folder, "wrangler.json")]);
}

/** JSON is an expression of JavaScript. */
function withConfiguration(bundled: string, artifact: string): string {
  const [before, after, ...more] = bundled.split(new RegExp(`\\{\\s*"${PLACEHOLDER}":\\s*(?:true|!0)\\s*\\}`));
  if (after === undefined || more.length > 0) throw new Error("The bundle does not hold one configuration.");
  return `${before}${artifact}${after}`;
}
