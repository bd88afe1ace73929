import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHarness } from "wrangler";
import { eventually } from "../support/eventually.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { type PolledTransmitter, startPolledTransmitter } from "../support/polled-transmitter.ts";
import { EVENTS, signedEvent } from "../support/transmitter.ts";
import { type CompiledConfiguration, compiledConfiguration } from "./support/configuration.ts";
import { workerHarness } from "./support/harness.ts";
import { CONFIGURATION, VARIABLES } from "./support/token-requests.ts";

const MINUTE = 60_000;
const CRON = "* * * * *";

describe("a Worker's Cron trigger", () => {
  let configuration: CompiledConfiguration;
  let harness: TestHarness;
  let provider: IdentityProvider;
  let transmitter: PolledTransmitter;
  beforeAll(async () => {
    [provider, transmitter] = await Promise.all([startIdentityProvider(), startPolledTransmitter()]);
    const client = "oauthClientID: countersign, oauthClientSecret: s";
    configuration = await compiledConfiguration(
      `${CONFIGURATION.replace("level: error", "level: info")}health: {heartbeat: {interval: 2m}}
connectors: [{name: corp, type: oidc, ${client}, oidcWellKnownURL: "${provider.wellKnown}"}]
signals: [{connector: corp, delivery: poll, token: t, pollURL: "${transmitter.url}", pollInterval: 1ms}]
`,
    );
    harness = workerHarness({ region: "us", configuration: configuration.path, vars: VARIABLES });
    await harness.listen();
  });
  afterAll(async () => {
    await harness?.close();
    await configuration.remove();
    await Promise.all([provider.stop(), transmitter.stop()]);
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

  test("75. fetches security events, and acknowledges what it took", async () => {
    const { issuer, key } = provider;
    const subject = { format: "iss_sub", iss: issuer, sub: "ada" };
    const fields = { type: EVENTS.accountDisabled, subject, claims: { jti: "event-1" } };
    transmitter.waiting.set("event-1", await signedEvent({ issuer, audience: "countersign", key }, fields));
    await eventually(
      async () => {
        await ring(Math.floor(Date.now() / MINUTE));
        return transmitter.waiting.size;
      },
      (waiting) => waiting === 0,
    );
    expect(transmitter.asked.map(({ body }) => body.ack)).toContainEqual(["event-1"]);
  });

  test("is no path of the Worker's: the one by which workerd is rung in development is not found", async () => {
    const asked = await harness.getWorker().fetch("/cdn-cgi/handler/scheduled?cron=*+*+*+*+*");
    expect(asked.status).toBe(404);
  });
});
