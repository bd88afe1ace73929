import { fileURLToPath } from "node:url";
import { createTestHarness, type TestHarness, unstable_readConfig } from "wrangler";
import { QUIET_WRANGLER } from "../../../infra/build/wrangler.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface HarnessOptions {
  readonly region: "us" | "uk";
  /** Another Worker than the product's, relative to the repository. */
  readonly main?: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** Absolute path of the file that `countersign:configuration` stands for. */
  readonly configuration?: string;
}

/** A harness, not started yet, around one region's Worker with the bindings and settings of `wrangler.toml`. */
export function workerHarness({ region, main, vars, configuration }: HarnessOptions): TestHarness {
  Object.assign(process.env, QUIET_WRANGLER, { WRANGLER_LOG: "error" });
  const deployed = unstable_readConfig({ config: `${ROOT}wrangler.toml`, env: region }, { hideWarnings: true });
  return createTestHarness({
    root: ROOT,
    workers: [
      {
        config: {
          name: deployed.name ?? region,
          main: main ?? "infra/cloudflare/worker.ts",
          compatibility_date: deployed.compatibility_date ?? "",
          compatibility_flags: deployed.compatibility_flags,
          kv_namespaces: deployed.kv_namespaces,
          durable_objects: deployed.durable_objects,
          migrations: deployed.migrations,
          vars: { ...deployed.vars, ...vars },
          ...(configuration !== undefined && { alias: { "countersign:configuration": configuration } }),
        },
      },
    ],
  });
}
