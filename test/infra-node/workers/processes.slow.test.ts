import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { createSigner, issueToken, type Owner, setUpOwner } from "../../behaviour/fixture.ts";
import { bearer, call, mcpURL, post, rpc } from "../../behaviour/gateway-fixture.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { ID_SECRET, type RunningRegion, SETUP_TOKEN } from "../../support/runtime.ts";
import { commandFile } from "../../support/shared-run/command.ts";
import { compiledOnce } from "../../support/shared-run/variables.ts";
import { startUpstream, type Upstream } from "../../support/upstream.ts";

const CLI = await commandFile();
const CONFIGURATION =
  behaviourConfiguration.replace("\nhttp:\n", "\nhttp:\n  workers: 2\n") +
  "\n    authorization:\n      outbound:\n        type: unprotected\n";

describe("the processes of a server with two workers", { timeout: 60_000 }, () => {
  let [folder, port, upstream] = [] as unknown as [string, number, Upstream];
  const started: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "countersign-workers-"));
    [port, upstream] = await Promise.all([freePort(), startUpstream()]);
    await writeFile(join(folder, "us.yaml"), CONFIGURATION);
  });
  afterEach(async () => {
    for (const child of started.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await upstream.stop();
    await rm(folder, { recursive: true });
  });

  const start = (variables: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [CLI, "-config", join(folder, "us.yaml")], {
      env: {
        ...compiledOnce(),
        ...variables,
        // Where the sockets are.
        TMPDIR: folder,
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
    started.push(child);
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
    const said = (text: string) => eventually(async () => lines.some((line) => line.includes(text)), Boolean);
    const exit = once(child, "exit").then(([code, signal]) => (signal ?? code) as number | string);
    const pids = () =>
      lines.flatMap((line) => (line.includes('"a worker listens"') ? [(JSON.parse(line) as { pid: number }).pid] : []));
    const region: RunningRegion = { region: "us", url: `http://127.0.0.1:${port}`, logs: () => lines };
    return { child, lines, said, exit, pids, region };
  };
  const isGone = (pid: number) =>
    eventually(async () => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    }, Boolean);
  const tokenOf = async (owner: Owner) => {
    const signer = await createSigner(owner, { resources: [mcpURL(owner.region)] });
    return bearer(await issueToken(owner.region, signer, { resource: mcpURL(owner.region) }));
  };

  test("SIGTERM lets what runs on either finish, ends all of them with 0 and leaves no socket; each line is whole", async () => {
    const server = start();
    await server.said('"listening"');
    const headers = await tokenOf(await setUpOwner(server.region));
    // Connections go to the workers in turn.
    const running = [1, 2].map(() => post(server.region, call("slow"), { ...headers, connection: "close" }));
    await eventually(
      async () => upstream.waiting,
      (waiting) => waiting === 2,
    );
    server.child.kill("SIGTERM");
    await server.said('"stopping"');
    upstream.release();
    for (const answer of running) expect((await rpc(await answer)).result?.isError).not.toBe(true);
    expect(await server.exit).toBe(0);
    for (const pid of server.pids()) await isGone(pid);
    expect((await readdir(folder)).filter((name) => name.startsWith("countersign-"))).toEqual([]);
    for (const line of server.lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(server.lines.filter((line) => /"(listening|stopping|stopped)"/.test(line))).toHaveLength(3);
    const workers = new Set(server.lines.map((line) => (JSON.parse(line) as { worker?: number }).worker));
    expect(workers).toEqual(new Set([undefined, 1, 2]));
  });

  test("a port that is in use, and a store that is served, are told as with one process, with 3", async () => {
    const taken = createServer().listen(port, "127.0.0.1");
    await once(taken, "listening");
    const refused = start();
    expect(await refused.exit).toBe(3);
    expect(refused.lines.at(-1)).toBe(`Cannot listen on 127.0.0.1:${port}: the port is in use by another process.`);
    taken.close();
    const first = start();
    await first.said('"listening"');
    const second = start();
    expect(await second.exit).toBe(3);
    expect(second.lines.at(-1)).toContain("Another server serves from the store");
  });

  test("workers end with the process that started them, however it ends, and the store can be served again", async () => {
    const server = start();
    await server.said('"listening"');
    await setUpOwner(server.region);
    server.child.kill("SIGKILL");
    for (const pid of server.pids()) await isGone(pid);
    const next = start();
    await next.said('"listening"');
    expect((await fetch(`${next.region.url}/status`)).status).toBe(200);
    expect(next.lines.join("\n")).not.toContain("no owner");
  });

  test("a signal to a worker alone changes nothing: the process that started it says when it ends", async () => {
    const server = start();
    await server.said('"listening"');
    for (const pid of server.pids()) process.kill(pid, "SIGTERM");
    for (let asked = 0; asked < 4; asked++) expect((await fetch(`${server.region.url}/status`)).status).toBe(200);
    server.child.kill("SIGINT");
    expect(await server.exit).toBe(0);
    expect(server.lines.some((line) => line.includes("a worker ended"))).toBe(false);
  });

  test("an error that nobody caught ends its worker alone, with its stack in the log, and the next one takes its place", async () => {
    const fails = 'process.on("SIGUSR2", () => { throw new Error("out of order"); })';
    const server = start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fails)}` });
    await server.said('"listening"');
    const [former = 0] = server.pids();
    process.kill(former, "SIGUSR2");
    await eventually(async () => server.pids().length === 3, Boolean);
    await isGone(former);
    const told = server.lines.find((line) => line.includes("an error that nobody caught ends the worker"));
    expect(JSON.parse(told ?? "{}")).toMatchObject({
      worker: expect.any(Number),
      error: expect.stringContaining("out of order"),
    });
    expect(server.lines.find((line) => line.includes("a worker ended"))).toContain('"end":"code 1"');
    for (let asked = 0; asked < 4; asked++) expect((await fetch(`${server.region.url}/status`)).status).toBe(200);
    server.child.kill("SIGTERM");
    expect(await server.exit).toBe(0);
  });
});
