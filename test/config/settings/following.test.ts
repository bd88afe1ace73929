import { expect, test } from "vitest";
import { followed, SECRETS, YAML } from "./gateway.ts";
import { keptSettings } from "./kept-settings.ts";

test("what is stored at the start is in effect before anything is served", async () => {
  const settings = keptSettings({ serverName: "Stored" });
  const { live, gateway, gatewaySettings, replaced } = await followed({ settings });
  expect(gateway()).toMatchObject({ serverName: "Stored" });
  expect([live.snapshot().revision, gatewaySettings.appliedRevision(), replaced]).toEqual([1, 1, []]);
});

test("settings that cannot be read are no start", async () => {
  const settings = keptSettings();
  settings.failure = new Error("the store is away");
  await expect(followed({ settings })).rejects.toThrow("the store is away");
});

test("an instance without mcpProvider never reads settings, and has none", async () => {
  const settings = keptSettings({ enabled: true });
  await expect(followed({ text: 'version: "1"\n', settings })).rejects.toThrow("there is no gateway");
  expect(settings.reads).toBe(0);
});

test("what another instance stores is in the next snapshot, two seconds later at most", async () => {
  const { live, settings, clock, tended, gateway, gatewaySettings, replaced, log } = await followed();
  const first = live.snapshot();
  settings.record = { revision: 1, values: { serverName: "Of another instance" } };
  clock.advance(1_999);
  expect(await tended()).toBe(0);
  clock.advance(1);
  expect(await tended()).toBe(1);
  expect(gateway()).toMatchObject({ serverName: "Of another instance" });
  expect([live.snapshot().revision, gatewaySettings.appliedRevision(), replaced]).toEqual([2, 1, [2]]);
  expect(first.configuration.mcpProvider?.serverName).toBe("From the YAML");
  expect(log).toEqual(['info configuration replaced {"revision":2,"configVersion":"1"}']);
  for (let i = 0; i < 3; i++) {
    clock.advance(2_000);
    await tended();
  }
  expect([live.snapshot().revision, settings.reads]).toEqual([2, 5]);
});

test("while a look is under way no other one begins, and what it finds is no longer wanted after a later change", async () => {
  const { settings, clock, tended, gateway, gatewaySettings, live } = await followed();
  const { promise, resolve } = Promise.withResolvers<void>();
  settings.held = promise;
  clock.advance(2_000);
  const slow = tended();
  clock.advance(2_000);
  expect(await tended()).toBe(0);
  await gatewaySettings.use({ revision: 1, values: { serverName: "Changed here" } });
  expect(gateway()).toMatchObject({ serverName: "Changed here" });
  resolve();
  await slow;
  expect(gateway()).toMatchObject({ serverName: "Changed here" });
  expect(live.snapshot().revision).toBe(2);
});

test("of two changes that this instance took the later one stays", async () => {
  const { gateway, gatewaySettings } = await followed();
  await gatewaySettings.use({ revision: 2, values: { serverName: "Second" } });
  await gatewaySettings.use({ revision: 1, values: { serverName: "First" } });
  expect(gateway()).toMatchObject({ serverName: "Second" });
});

test("a store that is away leaves the former settings in use, and is told once", async () => {
  const { settings, clock, tended, gateway, log } = await followed({ settings: keptSettings({ serverName: "Kept" }) });
  settings.failure = new Error("away");
  for (let i = 0; i < 3; i++) {
    clock.advance(2_000);
    await tended();
  }
  expect(gateway()).toMatchObject({ serverName: "Kept" });
  settings.failure = undefined;
  clock.advance(2_000);
  await tended();
  expect(log).toEqual([
    'warn gateway settings not refreshed; what was read before stays in use {"reason":"away"}',
    'info gateway settings available again {"failures":3}',
  ]);
});

test("stored settings that the YAML does not allow leave the gateway out and everything else in, and are told once", async () => {
  const settings = keptSettings({ streamPath: "/sse", oauthEnabled: true });
  const { live, clock, tended, gateway, gatewaySettings, log } = await followed({ settings });
  for (let i = 0; i < 2; i++) {
    clock.advance(2_000);
    await tended();
  }
  expect(gateway()).toBeUndefined();
  expect(live.snapshot().configuration.publicURL).toBe("https://gateway.example");
  expect(gatewaySettings.appliedRevision()).toBeUndefined();
  expect(log).toHaveLength(1);
  expect(log[0]).toMatch(
    /^error the stored gateway settings do not fit.*"settingsRevision":1.*oauth\.servers: required/,
  );
  await gatewaySettings.use({ revision: 2, values: {} });
  expect(gateway()).toMatchObject({ serverName: "From the YAML" });
  expect(gatewaySettings.appliedRevision()).toBe(2);
});

test("a secret that changes reaches a configuration with settings, and what it no longer allows closes the gateway", async () => {
  const text = YAML.replace("path: /sse", "path: <sse.path>");
  const secrets: Record<string, string> = { ...SECRETS, "sse.path": "/sse" };
  const settings = keptSettings({ streamPath: "/v2" });
  const { clock, tended, gateway, gatewaySettings, live } = await followed({ text, settings, secrets });
  secrets["session.timeout"] = "3h";
  clock.advance(300_000);
  await tended();
  expect(gateway()).toMatchObject({ stream: { path: "/v2", session: { timeout: 10_800_000 } } });
  secrets["sse.path"] = "/v2";
  clock.advance(300_000);
  await tended();
  expect(gateway()).toBeUndefined();
  expect(gatewaySettings.appliedRevision()).toBeUndefined();
  expect(live.snapshot().revision).toBe(3);
});

test("a request waits for a look when the last one is older than five seconds", async () => {
  const { settings, clock, gateway, gatewaySettings } = await followed();
  settings.record = { revision: 1, values: { serverName: "Changed meanwhile" } };
  const waited: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void waited.push(work);
  clock.advance(4_999);
  await gatewaySettings.upToDate(waitUntil);
  expect(gateway()).toMatchObject({ serverName: "From the YAML" });
  clock.advance(1);
  await gatewaySettings.upToDate(waitUntil);
  expect(gateway()).toMatchObject({ serverName: "Changed meanwhile" });
  expect(waited).toHaveLength(1);
});

test("a request that a silent store keeps waiting goes on with the former settings and a warning, and others with it", async () => {
  const { settings, clock, gateway, gatewaySettings, log } = await followed();
  settings.record = { revision: 1, values: { serverName: "Late" } };
  const { promise, resolve } = Promise.withResolvers<void>();
  settings.held = promise;
  const waited: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void waited.push(work);
  clock.advance(5_000);
  await Promise.all([1, 2, 3].map(() => gatewaySettings.upToDate(waitUntil)));
  expect(gateway()).toMatchObject({ serverName: "From the YAML" });
  expect(log).toEqual(["warn the gateway settings were not read in time; the former ones stay in use meanwhile {}"]);
  resolve();
  await Promise.all(waited);
  expect(waited).toHaveLength(1);
  expect(gateway()).toMatchObject({ serverName: "Late" });
});
