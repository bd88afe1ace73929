import { fileURLToPath } from "node:url";
import { createTestHarness, type TestHarness, type TestHarnessOptions, unstable_readConfig } from "wrangler";
import { QUIET_WRANGLER } from "../../../infra/build/wrangler.ts";
import { bundledWorker } from "./bundle.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface HarnessOptions {
  readonly region: "us" | "uk";
  /** Another Worker than the product's, relative to the repository. */
  readonly main?: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** Absolute path of the file that `countersign:configuration` stands for. */
  readonly configuration?: string;
  /** Folder with the Console's files; without it the Worker has none. */
  readonly consoleBuild?: string;
}

/**
 * A harness, not started yet, around one region's Worker as it is deployed, with the bindings and settings of
 * `wrangler.toml`.
 */
export function workerHarness(options: HarnessOptions): TestHarness {
  Object.assign(process.env, QUIET_WRANGLER, { WRANGLER_LOG: "error" });
  const harness = createTestHarness();
  const start = async () => {
    const bundle = await bundledWorker(options.configuration, options.main);
    await harness.update(harnessOptions(bundle.path, options));
    const started = await harness.listen();
    await bundle.remove();
    return started;
  };
  let started: ReturnType<typeof start> | undefined;
  return {
    ...harness,
    listen: () => {
      started ??= start();
      return started;
    },
  };
}

function harnessOptions(bundle: string, { region, vars, consoleBuild }: HarnessOptions): TestHarnessOptions {
  const deployed = unstable_readConfig({ config: `${ROOT}wrangler.toml`, env: region }, { hideWarnings: true });
  const config = {
    name: deployed.name ?? region,
    main: bundle,
    no_bundle: true,
    find_additional_modules: false,
    compatibility_date: deployed.compatibility_date ?? "",
    compatibility_flags: deployed.compatibility_flags,
    kv_namespaces: deployed.kv_namespaces,
    durable_objects: deployed.durable_objects,
    migrations: deployed.migrations,
    vars: { ...deployed.vars, ...vars },
    ...(consoleBuild !== undefined && { assets: { ...deployed.assets, directory: consoleBuild } }),
  };
  return { root: ROOT, workers: [{ config }] };
}
