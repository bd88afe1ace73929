import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBareWorkerd } from "../../infra-cloudflare/support/bare-workerd.ts";
import { bundledWorker } from "../../infra-cloudflare/support/bundle.ts";
import { workerVariables } from "../../runtimes/workerd.ts";
import { freePorts } from "../../support/free-port.ts";
import { converse } from "./conversation.ts";
import type { EdgeUsage } from "./edge.ts";
import { isolateHeap } from "./isolate-heap.ts";

/** The Worker as it would be deployed, in workerd without wrangler's proxies. */
export async function useWorkerd(artifact: string, upstreamURL: string): Promise<EdgeUsage> {
  const bundle = await bundleOf(artifact);
  const [port = 0, inspectorPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const variables = workerVariables("us", url, { configuration: "", variables: { UPSTREAM_URL: upstreamURL } });
  const workerd = await startBareWorkerd({ port, inspectorPort, bundle: bundle.path, variables });
  await bundle.remove();
  try {
    const conversation = await converse(url);
    return { conversation, resident: residentMemory(workerd.pid()), heap: await isolateHeap(inspectorPort) };
  } finally {
    await workerd.stop();
  }
}

async function bundleOf(artifact: string) {
  const folder = await mkdtemp(join(tmpdir(), "countersign-edges-"));
  try {
    const path = join(folder, "configuration.json");
    await writeFile(path, artifact);
    return await bundledWorker(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** NaN where there is no `/proc`. */
function residentMemory(pid: number): number {
  const status = process.platform === "linux" ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
}
