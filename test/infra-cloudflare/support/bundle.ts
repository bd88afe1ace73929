import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unstable_readConfig } from "wrangler";
import { wrangler } from "../../../infra/build/wrangler.ts";
import { builtOnce } from "../../support/shared-run/built-once.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface Bundle {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * The Worker as `wrangler deploy` would send it, with another configuration. A run of the tests bundles the same Worker
 * with the same configuration once.
 *
 * @param configuration path of the file that `countersign:configuration` stands for, if the Worker has one
 * @param main another Worker than the product's, relative to the repository
 */
export async function bundledWorker(
  configuration: string | undefined,
  main = "infra/cloudflare/worker.ts",
): Promise<Bundle> {
  const artifact = configuration === undefined ? "" : await readFile(configuration, "utf8");
  const { folder, remove } = await builtOnce([main, artifact], (into) => bundle(into, main, configuration));
  const name = basename(main).replace(/\.[jt]s$/, ".js");
  return { path: join(folder, "out", name), remove };
}

async function bundle(folder: string, main: string, configuration: string | undefined): Promise<void> {
  const deployed = unstable_readConfig({ config: `${ROOT}wrangler.toml`, env: "us" }, { hideWarnings: true });
  const config = {
    name: "countersign-test",
    main: join(ROOT, main),
    compatibility_date: deployed.compatibility_date,
    compatibility_flags: deployed.compatibility_flags,
    minify: deployed.minify,
    ...(configuration !== undefined && { alias: { "countersign:configuration": configuration } }),
  };
  await writeFile(join(folder, "wrangler.json"), JSON.stringify(config));
  await wrangler("deploy", "--dry-run", "--config", join(folder, "wrangler.json"), "--outdir", join(folder, "out"));
}
