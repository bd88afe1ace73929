import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setUpOwner } from "../behaviour/fixture.ts";
import { mcpConfiguration } from "../behaviour/mcp/configuration.ts";
import { answerTo, readEvents } from "../behaviour/mcp/events.ts";
import { startAgent } from "../behaviour/mcp/fixture.ts";
import { listen, openSession, post, request, terminate } from "../behaviour/mcp/session.ts";
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
  folder = await mkdtemp(join(tmpdir(), "countersign-sessions-"));
  port = await freePort();
  upstream = await startUpstream();
  await writeFile(join(folder, "countersign.yaml"), mcpConfiguration({ hasLegacy: true }));
  server = await startServer();
});
afterAll(async () => {
  await kill(server);
  await upstream.stop();
  await rm(folder, { recursive: true });
});

describe("sessions and a server that is killed", () => {
  test("go on in the next process with all that was agreed; streams and ended ones do not", async () => {
    const region: RunningRegion = { region: "us", url: `http://127.0.0.1:${port}`, logs: () => [] };
    const agent = await startAgent(await setUpOwner(region));
    const [going, ended] = [await openSession(region, agent.stream), await openSession(region, agent.stream)];
    await answerTo(await post(region, request("logging/setLevel", { level: "info" }), going.headers));
    expect((await terminate(region, ended.headers)).status).toBe(204);
    const stream = readEvents(await listen(region, going.headers));
    await stream.comment();
    const broken = stream.next().catch(() => "broken");
    await kill(server);
    expect(await broken).toBe("broken");

    server = await startServer();
    expect((await post(region, request("ping"), ended.headers)).status).toBe(404);
    const call = request("tools/call", { name: "upstream_listTags", arguments: {} });
    const messages = await readEvents(await post(region, call, going.headers)).rest();
    expect(messages).toMatchObject([{ method: "notifications/message", params: { level: "info" } }, { id: 1 }]);
    expect((await listen(region, going.headers)).status).toBe(200);
    expect((await terminate(region, going.headers)).status).toBe(204);
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
  const written: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    written.push(line);
    if (!line.includes('"listening"')) continue;
    child.stderr.resume();
    return child;
  }
  throw new Error(`The server ended instead of listening:\n${written.join("\n")}`);
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
