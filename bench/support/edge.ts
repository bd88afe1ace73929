import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Variables that fill `examples/edge/countersign.yaml`; nothing here is a secret of anyone. */
export const EDGE_VARIABLES = {
  REGION: "us",
  PUBLIC_URL: "https://us.countersign.example",
  UPSTREAM_URL: "https://upstream.example",
  SVC_SECRET_PROVIDER: "env://CS_",
  CS_COUNTERSIGN_SETUP_TOKEN: "setup-token-of-the-benchmark",
  CS_COUNTERSIGN_ID_SECRET: "YmVuY2htYXJrLWJlbmNobWFyay1iZW5jaG1hcmstMzI",
};

/** Runs a script of `infra/build/`. Throws when it fails. */
export function build(script: string): void {
  const { status } = spawnSync(process.execPath, [`${ROOT}infra/build/${script}`], { stdio: "ignore" });
  if (status !== 0) throw new Error(`infra/build/${script} failed.`);
}
