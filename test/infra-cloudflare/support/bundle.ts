import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unstable_readConfig } from "wrangler";
import { wrangler } from "../../../infra/build/wrangler.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface Bundle {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * The Worker as `wrangler deploy` would send it, with another configuration.
 *
 * @param main another Worker than the product's, relative to the repository
 */
export async function bundledWorker(configuration: string, main = "infra/cloudflare/worker.ts"): Promise<Bundle> {
  const deployed = unstable_readConfig({ config: `${ROOT}wrangler.toml`, env: "us" }, { hideWarnings: true });
  const folder = await mkdtemp(join(tmpdir(), "countersign-bundle-"));
  const config = {
    name: "countersign-test",
    main: join(ROOT, main),
    compatibility_date: deployed.compatibility_date,
    compatibility_flags: deployed.compatibility_flags,
    minify: deployed.minify,
    alias: { "countersign:configuration": configuration },
  };
  await writeFile(join(folder, "wrangler.json"), JSON.stringify(config));
  await wrangler("deploy", "--dry-run", "--config", join(folder, "wrangler.json"), "--outdir", join(folder, "out"));
  const name = basename(main).replace(/\.[jt]s$/, ".js");
  return { path: join(folder, "out", name), remove: () => rm(folder, { recursive: true }) };
}
