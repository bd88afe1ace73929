import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { behaviourConfiguration } from "../behaviour/configuration.ts";
import { createSigner, type Owner, setUpOwner } from "../behaviour/fixture.ts";
import { auditRecords, bearer, call, gatewayToken, mcpURL, post, rpc } from "../behaviour/gateway-fixture.ts";
import { freePort } from "../support/free-port.ts";
import { ID_SECRET, type RunningRegion, SETUP_TOKEN } from "../support/runtime.ts";
import { compiledOnce } from "../support/shared-run/variables.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";

const CLI = join(import.meta.dirname, "../../infra/node/cli.ts");

let folder: string;
let port: number;
let upstream: Upstream;
let server: ChildProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-crash-"));
  port = await freePort();
  upstream = await startUpstream();
  await writeFile(join(folder, "countersign.yaml"), behaviourConfiguration);
  server = await startServer();
});
afterAll(async () => {
  await kill(server);
  await upstream.stop();
  await rm(folder, { recursive: true });
});

describe("38. one audit record a call, whatever dies", () => {
  test("a process killed during a call leaves one record that reads unknown, and finished ones as they were", async () => {
    const url = `http://127.0.0.1:${port}`;
    const region: RunningRegion = { region: "us", url, logs: () => [] };
    const owner: Owner = await setUpOwner(region);
    const signer = await createSigner(owner, { resources: [mcpURL(region)] });
    const authorization = bearer(await gatewayToken(region, signer));

    await rpc(await post(region, call("listTags"), authorization));
    const lost = post(region, call("slow"), authorization)
      .then(rpc)
      .catch(() => "lost");
    await expect.poll(() => upstream.waiting).toBe(1);
    await kill(server);
    expect(await lost).toBe("lost");

    server = await startServer();
    expect(await auditRecords(owner, "slow")).toEqual([expect.objectContaining({ outcome: "unknown" })]);
    expect(await auditRecords(owner, "listTags")).toEqual([expect.objectContaining({ outcome: "success" })]);
    // The token of before is still one, and calls go on.
    expect((await rpc(await post(region, call("listTags"), authorization))).result).toBeDefined();
    expect(await auditRecords(owner, "listTags")).toHaveLength(2);
  });
});

async function startServer(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [CLI, "-config", join(folder, "countersign.yaml")], {
    env: {
      ...compiledOnce(),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      REGION: "us",
      STORE_PATH: join(folder, "store"),
      LISTEN_ADDRESS: `127.0.0.1:${port}`,
      UPSTREAM_URL: upstream.url,
      SVC_SECRET_PROVIDER: "env://TEST_",
      TEST_COUNTERSIGN_SETUP_TOKEN: SETUP_TOKEN,
      TEST_COUNTERSIGN_ID_SECRET: ID_SECRET,
    },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) if (line.includes('"listening"')) break;
  child.stderr.resume();
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
