import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unstable_readConfig } from "wrangler";
import { wrangler } from "../../../infra/build/wrangler.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface Bundle {
  readonly path: string;
  remove(): Promise<void>;
}

/** The Worker as `wrangler deploy` would send it, with another configuration. */
export async function bundledWorker(configuration: string): Promise<Bundle> {
  const deployed = unstable_readConfig({ config: `${ROOT}wrangler.toml`, env: "us" }, { hideWarnings: true });
  const folder = await mkdtemp(join(tmpdir(), "countersign-bundle-"));
  const config = {
    name: "countersign-test",
    main: join(ROOT, "infra/cloudflare/worker.ts"),
    compatibility_date: deployed.compatibility_date,
    compatibility_flags: deployed.compatibility_flags,
    minify: deployed.minify,
    alias: { "countersign:configuration": configuration },
  };
  await writeFile(join(folder, "wrangler.json"), JSON.stringify(config));
  await wrangler("deploy", "--dry-run", "--config", join(folder, "wrangler.json"), "--outdir", join(folder, "out"));
  return { path: join(folder, "out/worker.js"), remove: () => rm(folder, { recursive: true }) };
}
