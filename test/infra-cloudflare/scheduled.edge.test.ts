import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHarness } from "wrangler";
import { type CompiledConfiguration, compiledConfiguration } from "./support/configuration.ts";
import { workerHarness } from "./support/harness.ts";
import { CONFIGURATION, VARIABLES } from "./support/token-requests.ts";

const MINUTE = 60_000;
const CRON = "* * * * *";

describe("a Worker's Cron trigger", () => {
  let configuration: CompiledConfiguration;
  let harness: TestHarness;
  beforeAll(async () => {
    configuration = await compiledConfiguration(
      `${CONFIGURATION.replace("level: error", "level: info")}health: {heartbeat: {interval: 2m}}\n`,
    );
    harness = workerHarness({ region: "us", configuration: configuration.path, vars: VARIABLES });
    await harness.listen();
  });
  afterAll(async () => {
    await harness?.close();
    await configuration.remove();
  });

  const beats = () =>
    harness
      .getLogs()
      .flatMap(({ message }) => message.split("\n"))
      .filter((line) => line.includes('"msg":"heartbeat"'))
      .map((line) => JSON.parse(line));
  const ring = (minute: number) =>
    harness.getWorker().scheduled({ scheduledTime: new Date(minute * MINUTE), cron: CRON });

  test("starts the instance and beats once an interval, without any request, with the fields that it has", async () => {
    const even = 2 * Math.floor(Date.now() / MINUTE / 2);
    for (const minute of [even - 4, even - 3, even - 2, even - 1]) {
      expect(await ring(minute)).toMatchObject({ outcome: "ok" });
    }
    expect(beats().map((beat) => Object.keys(beat).sort())).toEqual([
      ["config_version", "level", "msg", "orchestrator_version", "soid", "time"],
      ["config_version", "level", "msg", "orchestrator_version", "soid", "time"],
    ]);
  });

  test("is no path of the Worker's: the one by which workerd is rung in development is not found", async () => {
    const asked = await harness.getWorker().fetch("/cdn-cgi/handler/scheduled?cron=*+*+*+*+*");
    expect(asked.status).toBe(404);
  });
});
