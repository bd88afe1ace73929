import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHarness } from "wrangler";
import { eventually } from "../support/eventually.ts";
import { ID_SECRET } from "../support/runtime.ts";
import { type CompiledConfiguration, compiledConfiguration } from "./support/configuration.ts";
import { workerHarness } from "./support/harness.ts";
import { CONFIGURATION, VARIABLES } from "./support/token-requests.ts";

describe("a Worker", () => {
  let configuration: CompiledConfiguration;
  const running: TestHarness[] = [];
  beforeAll(async () => {
    configuration = await compiledConfiguration(CONFIGURATION);
  });
  afterAll(async () => {
    await Promise.all(running.map((harness) => harness.close()));
    await configuration.remove();
  });

  const start = async (vars: Readonly<Record<string, string>>) => {
    const harness = workerHarness({ region: "us", configuration: configuration.path, vars });
    running.push(harness);
    await harness.listen();
    return harness;
  };

  test("is up as soon as variables and secrets fill its configuration, also for parallel first requests", async () => {
    const worker = (await start(VARIABLES)).getWorker();
    const answers = await Promise.all(Array.from({ length: 10 }, () => worker.fetch("/status")));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ status: "up" });
    }
  });

  test("answers 503 on every path when a secret is missing, and only the log says which", async () => {
    const harness = await start({ ...VARIABLES, TEST_COUNTERSIGN_ID_SECRET: "" });
    for (const path of ["/status", "/oauth2/token", "/nowhere"]) {
      const answer = await harness.getWorker().fetch(path, { method: path === "/oauth2/token" ? "POST" : "GET" });
      expect(answer.status).toBe(503);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(await answer.json()).toEqual({ status: "down" });
    }
    const logs = harness.getLogs().map(({ message }) => message);
    expect(logs.filter((line) => line.includes("TEST_COUNTERSIGN_ID_SECRET"))).toHaveLength(1);
  });

  test("that cannot reach its secret provider starts with a later request, once it can", async () => {
    let isThere = false;
    const vault = createServer((_, response) => {
      const answer = JSON.stringify({ data: { "id-secret": ID_SECRET } });
      response.writeHead(isThere ? 200 : 503, { "content-type": "application/json" }).end(isThere ? answer : "");
    });
    await new Promise<void>((resolve) => vault.listen(0, "127.0.0.1", resolve));
    const { port } = vault.address() as AddressInfo;
    const SVC_SECRET_PROVIDER = `hashivault+http://127.0.0.1:${port}/secret?token=of-the-test`;
    const harness = await start({ ...VARIABLES, SVC_SECRET_PROVIDER });
    const health = async () => {
      const answer = await harness.getWorker().fetch("/status");
      return { status: answer.status, body: await answer.json() };
    };
    expect(await health()).toEqual({ status: 503, body: { status: "down" } });
    isThere = true;
    expect(await eventually(health, ({ status }) => status === 200)).toEqual({ status: 200, body: { status: "up" } });
    const logs = harness.getLogs().map(({ message }) => message);
    expect(logs.filter((line) => line.includes("the configuration cannot start"))).toHaveLength(1);
    await new Promise((resolve) => vault.close(resolve));
  });

  test.each([
    ["false", false],
    ["true", true],
  ])("with SVC_DEBUG_MODE=%s logs what its configuration leaves out: %j", async (SVC_DEBUG_MODE, expected) => {
    const harness = await start({ ...VARIABLES, SVC_DEBUG_MODE });
    await harness.getWorker().fetch("/nowhere");
    expect(harness.getLogs().some(({ message }) => message.includes("/nowhere"))).toBe(expected);
  });

  test("answers 503 when its secret provider is unknown, without repeating its URL", async () => {
    const harness = await start({ ...VARIABLES, SVC_SECRET_PROVIDER: "vaultx://user:hunter2@host" });
    expect((await harness.getWorker().fetch("/status")).status).toBe(503);
    const logs = harness.getLogs().map(({ message }) => message);
    expect(logs.some((line) => line.includes("vaultx"))).toBe(true);
    expect(logs.join("\n")).not.toContain("hunter2");
  });
});
