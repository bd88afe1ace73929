import { beforeEach, expect, test } from "vitest";
import type { ConfigurationSnapshot } from "../../lib/config/configuration.ts";
import { type KeptLive, resolveLive } from "../../lib/config/live-configuration.ts";
import type { LogFields, Logger } from "../../lib/logging/logger.ts";
import { SecretError, type SecretProvider } from "../../lib/secrets/provider.ts";
import { type MovableClock, movableClock } from "../secrets/servers/movable-clock.ts";
import { compiled } from "./support.ts";

const YAML = `
version: "{{ env.VERSION }}"
console: {enabled: true, setupToken: <setup.token>}
logger: {level: <log.level>}
`;
const FIVE_MINUTES = 300_000;

let clock: MovableClock;
let values: Record<string, string | Error>;
let opened: number;
let log: string[];
let replaced: number[];

beforeEach(() => {
  clock = movableClock();
  values = { "setup.token": "the first setup token", "log.level": "info" };
  opened = 0;
  [log, replaced] = [[], []];
});

async function start(text = YAML): Promise<KeptLive> {
  const resolved = await resolveLive(await compiled(text), {
    environment: { VERSION: "7" },
    runtime: "node",
    openSecrets,
    clock,
  });
  const onReplaced = ({ revision }: ConfigurationSnapshot) => replaced.push(revision);
  return resolved.keepLive({ logger, onReplaced });
}

function openSecrets(): SecretProvider {
  opened++;
  return {
    async get(reference) {
      const value = values[reference];
      if (typeof value === "string") return value;
      throw value ?? new SecretError(`no ${reference}`);
    },
  };
}

const write =
  (level: string) =>
  (message: string, fields: LogFields = {}) => {
    log.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
const logger: Logger = {
  debug: write("debug"),
  info: write("info"),
  warn: write("warn"),
  error: write("error"),
  with: () => logger,
};

/** Lets the time of one refresh pass, and the refresh be done. */
async function afterInterval(live: KeptLive, signal?: AbortSignal): Promise<void> {
  clock.advance(FIVE_MINUTES);
  await tended(live, signal);
}

async function tended(live: KeptLive, signal?: AbortSignal): Promise<number> {
  const work: Promise<void>[] = [];
  live.refresh({ waitUntil: (one) => work.push(one), ...(signal !== undefined && { signal }) });
  await Promise.all(work);
  return work.length;
}

test("a secret that changed is in the next snapshot, five minutes later at most", async () => {
  const live = await start();
  const first = live.snapshot();
  values["setup.token"] = "the second setup token";
  clock.advance(FIVE_MINUTES - 1);
  expect(await tended(live)).toBe(0);
  expect(live.snapshot()).toBe(first);
  clock.advance(1);
  expect(await tended(live)).toBe(1);
  expect(live.snapshot()).toMatchObject({
    revision: 2,
    configuration: { console: { setupToken: "the second setup token" } },
  });
  expect(first).toMatchObject({ revision: 1, configuration: { console: { setupToken: "the first setup token" } } });
  expect(replaced).toEqual([2]);
  expect(log).toEqual(['info configuration replaced {"revision":2,"configVersion":"7"}']);
});

test("secrets that are the same leave the snapshot as it is", async () => {
  const live = await start();
  const first = live.snapshot();
  for (let i = 0; i < 3; i++) await afterInterval(live);
  expect(live.snapshot()).toBe(first);
  expect(opened).toBe(4);
  expect(log).toEqual([]);
});

test("while a refresh is under way, no other one begins", async () => {
  const live = await start();
  clock.advance(FIVE_MINUTES);
  const work: Promise<void>[] = [];
  for (let i = 0; i < 3; i++) live.refresh({ waitUntil: (one) => work.push(one) });
  await Promise.all(work);
  expect(opened).toBe(2);
});

test("a secret that cannot be fetched stays what it was, and others change nevertheless", async () => {
  const live = await start();
  values = { "setup.token": "the second setup token", "log.level": new SecretError("vault is away") };
  for (let i = 0; i < 2; i++) await afterInterval(live);
  expect(live.snapshot()).toMatchObject({
    revision: 2,
    configuration: { console: { setupToken: "the second setup token" }, logger: { level: "info" } },
  });
  expect(log.filter((line) => line.startsWith("warn"))).toEqual([
    'warn a secret cannot be refreshed; its former value stays in use {"reference":"log.level","cause":"vault is away"}',
  ]);
});

test("secrets that make the configuration invalid leave the former one in use, are told once, and no value is shown", async () => {
  const live = await start();
  values["log.level"] = "hunter2";
  for (let i = 0; i < 2; i++) await afterInterval(live);
  expect(live.snapshot()).toMatchObject({ revision: 1, configuration: { logger: { level: "info" } } });
  expect(log).toHaveLength(1);
  expect(log[0]).toMatch(
    /^error the configuration is not valid with its new secrets.*countersign\.yaml:4:17: logger\.level/,
  );
  expect(log[0]).not.toContain("hunter2");
  values["log.level"] = "warn";
  await afterInterval(live);
  expect(live.snapshot()).toMatchObject({ revision: 2, configuration: { logger: { level: "warn" } } });
});

test("a refresh that is ended changes and logs nothing", async () => {
  const live = await start();
  values["setup.token"] = "the second setup token";
  await afterInterval(live, AbortSignal.abort());
  expect(live.snapshot().revision).toBe(1);
  for (const problem of [new TypeError("a mistake"), new SecretError("it is not waited for any more")]) {
    values["setup.token"] = problem;
    await afterInterval(live, AbortSignal.abort());
  }
  expect(log).toEqual([]);
});

test("a mistake of ours is logged and ends nothing", async () => {
  const live = await start();
  values["setup.token"] = new TypeError("a mistake");
  await afterInterval(live);
  expect(log).toEqual(['error the secrets cannot be refreshed {"cause":"TypeError: a mistake"}']);
  values["setup.token"] = "the second setup token";
  await afterInterval(live);
  expect(live.snapshot().revision).toBe(2);
});

test("a configuration without secrets is never looked at again", async () => {
  const live = await start('version: "1"\n');
  await afterInterval(live);
  expect(opened).toBe(1);
});

test("at the start, a secret that is not there is a mistake at its place in the document", async () => {
  values["log.level"] = new SecretError("vendor has not given the secret <log.level>: it is sealed");
  await expect(start()).rejects.toThrow(
    "countersign.yaml:4:17: logger.level: vendor has not given the secret <log.level>: it is sealed",
  );
});
