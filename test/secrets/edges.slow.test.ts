import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { TestHarness } from "wrangler";
import { createHandler } from "../../infra/aws/handler.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { compiled } from "../config/support.ts";
import { eventOf } from "../infra-aws/support/event.ts";
import { splitAnswer } from "../infra-aws/support/http-integration.ts";
import { invokeInProcess, provideAwslambda } from "../infra-aws/support/in-process-runtime.ts";
import { type CompiledConfiguration, compiledConfiguration } from "../infra-cloudflare/support/configuration.ts";
import { workerHarness } from "../infra-cloudflare/support/harness.ts";
import { eventually } from "../support/eventually.ts";
import { WITHOUT_TABLES } from "../support/lambda-environment.ts";
import { type StandInVault, startVault } from "./servers/vault.ts";

const YAML = `
version: "1"
http: {publicURL: "https://id.example"}
logger: {jsonOutput: true}
health: {location: <probe.path>}
`;
const ROLE = { roleId: "a-role-of-the-test", secretId: "a-secret-of-the-test" };
const PROBE = "secret/data/app/probe";
const FIVE_MINUTES = 300_000;

let vault: StandInVault;

beforeEach(async () => {
  vault = await startVault(systemClock);
  vault.allow(ROLE, { ttl: 3_600, renewable: true });
  vault.entries.set(PROBE, { path: "/first" });
});

afterEach(() => vault.close());

const provider = () =>
  `hashivault+http://127.0.0.1:${vault.port}/secret/data/app?roleID=${ROLE.roleId}&secretID=${ROLE.secretId}`;

describe("a Worker", () => {
  let configuration: CompiledConfiguration;
  const running: TestHarness[] = [];
  beforeAll(async () => {
    configuration = await compiledConfiguration(YAML);
  });
  afterAll(async () => {
    await Promise.all(running.map((harness) => harness.close()));
    await configuration.remove();
  });

  const start = async (SVC_SECRET_PROVIDER: string) => {
    const harness = workerHarness({
      region: "us",
      main: "test/secrets/servers/moved-clock-worker.js",
      configuration: configuration.path,
      vars: { SVC_SECRET_PROVIDER },
    });
    running.push(harness);
    await harness.listen();
    const status = async (path: string) => (await harness.getWorker().fetch(path)).status;
    const logs = () => harness.getLogs().map(({ message }) => message);
    return { status, logs };
  };

  test("takes its secrets from Vault, and new ones five minutes later with a request", async () => {
    const { status, logs } = await start(provider());
    expect(await Promise.all(Array.from({ length: 5 }, () => status("/first")))).toEqual([200, 200, 200, 200, 200]);
    for (const path of ["/second", "/third"]) {
      vault.entries.set(PROBE, { path });
      expect(await status(path)).toBe(404);
      await status(`/advance?by=${FIVE_MINUTES}`);
      expect(
        await eventually(
          () => status(path),
          (code) => code === 200,
        ),
      ).toBe(200);
    }
    expect(await status("/first")).toBe(404);
    expect(logs().filter((line) => line.includes("configuration replaced"))).toHaveLength(2);
  });

  test("goes on with the secrets that it has while Vault is away", async () => {
    const { status, logs } = await start(provider());
    await status("/first");
    vault.before = () => new Response("", { status: 503, headers: { "Retry-After": "0" } });
    await status(`/advance?by=${FIVE_MINUTES}`);
    const warned = () => logs().filter((line) => line.includes("a secret cannot be refreshed"));
    await eventually(
      async () => [await status("/first"), warned().length],
      ([, count]) => count === 1,
    );
    expect(await status("/first")).toBe(200);
  });

  test("does not start with a provider that needs a client certificate, and the log has no credentials", async () => {
    const url = "cyberarkccp://ccp.example.com?appID=app&safe=hunter2&certFile=/client.crt&keyFile=/client.key";
    const { status, logs } = await start(url);
    expect(await status("/first")).toBe(503);
    expect(logs().join("\n")).toContain("The secret provider cyberarkccp does not work on this runtime");
    expect(logs().join("\n")).not.toContain("hunter2");
  });
});

describe("a Lambda function", () => {
  beforeAll(provideAwslambda);
  afterEach(() => {
    vi.useRealTimers();
  });

  test("takes new secrets from Vault five minutes later with a request", async () => {
    const lines: string[] = [];
    const handler = await createHandler({
      artifact: await compiled(YAML),
      environment: {
        ...WITHOUT_TABLES,
        SVC_SECRET_PROVIDER: provider(),
      },
      write: (line) => lines.push(line),
    });
    const headers = { "x-countersign-origin": WITHOUT_TABLES.ORIGIN_SECRET };
    const status = async (path: string) => {
      const answer = await splitAnswer(invokeInProcess(handler)(eventOf({ path, headers })));
      for await (const _ of answer?.body ?? []);
      return answer?.metadata.statusCode;
    };
    expect(await status("/first")).toBe(503);
    vault.entries.set(PROBE, { path: "/second" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + FIVE_MINUTES });
    expect(await status("/second")).toBe(404);
    await eventually(
      () => status("/second"),
      (code) => code === 503,
    );
    expect(await status("/first")).toBe(404);
    expect(lines.filter((line) => line.includes("configuration replaced"))).toHaveLength(1);
  });
});
