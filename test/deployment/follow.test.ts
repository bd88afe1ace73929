import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { activated } from "../../lib/audit/deployment-events.ts";
import { type KeptLive, resolveLive } from "../../lib/config/live-configuration.ts";
import { artifactOf, openBundle } from "../../lib/deployment/bundle.ts";
import { type FollowedDeployment, followDeployment } from "../../lib/deployment/follow.ts";
import { keepPublication, raiseHighest, storeSource } from "../../lib/deployment/records.ts";
import type { DeploymentSettings } from "../../lib/deployment/settings.ts";
import { type BundleSource, NothingPublishedError } from "../../lib/deployment/source.ts";
import { mustFollow, startingBundle } from "../../lib/deployment/starting.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { SecretError } from "../../lib/secrets/provider.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { type Publisher, publisher, versioned } from "./bundles.ts";

const INTERVAL = 30_000;

/** What is at the source: a bundle, nothing, or a failure. */
let there: Uint8Array<ArrayBuffer> | Error;
let reads: number;
let now: number;
let lines: string[];
let ours: Publisher;
let stores: Stores;
let close: () => Promise<void>;
let settings: DeploymentSettings;

beforeEach(async () => {
  ours = await publisher();
  const folder = mkdtempSync(join(tmpdir(), "countersign-deployment-"));
  const executor = openSqlite(folder);
  stores = sqlStores(executor, clock);
  close = async () => {
    await executor.close();
    rmSync(folder, { recursive: true });
  };
  [there, reads, now, lines] = [new NothingPublishedError("nothing is there"), 0, Date.UTC(2026, 10, 1), []];
  const source = new URL("https://config.example/bundle.json");
  settings = { source, keys: ours.keys, deployment: "production", reload: true, interval: INTERVAL, fallback: true };
});
afterEach(() => close());

const clock = { now: () => now };
const source: BundleSource = {
  name: "https://config.example/bundle.json",
  read: async () => {
    reads += 1;
    if (there instanceof Error) throw there;
    return { bytes: there };
  },
};
const write = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`);
const logger: Logger = { debug: write, info: write, warn: write, error: write, with: () => logger };

/** An instance that was started with something that was not published. */
async function instance(): Promise<{ live: KeptLive; followed: FollowedDeployment; look(): Promise<void> }> {
  const secrets = { get: () => Promise.reject(new SecretError("it is not there")) };
  const resolved = await resolveLive(await versioned("own"), {
    ...{ environment: {}, runtime: "node", openSecrets: () => secrets, clock },
  });
  const live = await resolved.keepLive({ logger });
  const ports = { configuration: live.snapshot, clock, random: webCryptoRandom, logger };
  const followed = followDeployment({
    ...ports,
    ...{ settings, source, version: "0.1.0", highest: 0, running: resolved.configuration, takeOver: live.takeOver },
    keep: ({ publication }) => raiseHighest(stores.deployments, publication.revision, activated(ports, publication)),
    onRefused: () => undefined,
  });
  const work: Promise<void>[] = [];
  return {
    ...{ live, followed },
    look: async () => {
      followed.refresh({ waitUntil: (one) => work.push(one) });
      await Promise.all(work);
    },
  };
}

const version = ({ live }: { live: KeptLive }) => live.snapshot().configuration.version;
const published = async (revision: number, about = {}) =>
  ours.bundle(await versioned(`v${revision}`), { revision, ...about });
/** More than the interval and what is left to chance. */
const pass = (intervals: number) => {
  now += intervals * INTERVAL * 1.2;
};

describe("81. an instance that follows what is published", () => {
  test("looks once an interval, also as long as nothing is published", async () => {
    const one = await instance();
    for (let look = 0; look < 6; look++) {
      await one.look();
      pass(1);
    }
    expect([reads, version(one)]).toEqual([5, "own"]);
    there = await published(1);
    await one.look();
    expect([reads, version(one)]).toEqual([6, "v1"]);
    await one.look();
    expect(reads).toBe(6);
  });

  test("looks more rarely while the source fails, and goes on with what it has", async () => {
    const one = await instance();
    there = await published(1);
    pass(1);
    await one.look();
    there = new Error("no route");
    for (let look = 0; look < 100; look++) {
      pass(1);
      await one.look();
    }
    expect(reads).toBeLessThan(15);
    expect(version(one)).toBe("v1");
    expect(lines.filter((line) => line.includes("not refreshed"))).toHaveLength(1);
    there = await published(2);
    pass(30);
    await one.look();
    expect(version(one)).toBe("v2");
  });

  test("goes on with no lower revision than another instance has used", async () => {
    const [one, other] = [await instance(), await instance()];
    there = await published(5);
    pass(1);
    await one.look();
    there = await published(4);
    await other.look();
    expect([version(one), version(other)]).toEqual(["v5", "own"]);
    expect(other.followed.state().refused).toMatchObject({
      revision: 4,
      reason: expect.stringContaining("revision 5"),
    });
    there = await published(5);
    pass(1);
    await other.look();
    expect(version(other)).toBe("v5");
  });

  test("tells each refusal once, and takes over what could not be taken over for a moment", async () => {
    const one = await instance();
    const artifact = await versioned("v1", "console: {setupToken: <vault.setup>}");
    there = await ours.bundle(artifact, { revision: 1 });
    for (let look = 0; look < 3; look++) {
      pass(1);
      await one.look();
    }
    expect(lines.filter((line) => line.includes("is not taken over"))).toHaveLength(1);
    expect(one.followed.state().refused?.reason).toContain("console.setupToken: it is not there");
    there = await published(2);
    pass(1);
    await one.look();
    expect([version(one), one.followed.state().refused]).toEqual(["v2", undefined]);
  });
});

describe("81. an instance that starts", () => {
  const starting = (kept: BundleSource | undefined = undefined, more: Partial<DeploymentSettings> = {}) =>
    startingBundle({ ...settings, ...more }, { source, kept }, { version: "0.1.0", now });
  const revisionOf = async (kept?: BundleSource) => (await starting(kept)).bundle?.publication.revision;
  const keep = async (bytes: Uint8Array<ArrayBuffer>) => {
    const publication = await openBundle(bytes, ours.keys);
    await keepPublication(stores.deployments, { publication, bytes }, { by: "source", events: [] });
    return artifactOf(publication);
  };

  test("has the higher revision of what the source has and what was kept", async () => {
    const kept = storeSource(stores.deployments);
    expect(await revisionOf(kept)).toBe(undefined);
    await keep(await published(3));
    expect(await revisionOf(kept)).toBe(3);
    there = await published(2);
    expect(await revisionOf(kept)).toBe(3);
    there = await published(4);
    expect(await revisionOf(kept)).toBe(4);
  });

  test("goes on with what has expired, and begins nothing that has", async () => {
    const expiresAt = "2026-10-31T00:00:00Z";
    there = await published(3, { expiresAt });
    expect(await revisionOf()).toBe(undefined);
    const inUse = await startingBundle(settings, { source }, { version: "0.1.0", now, inUse: 3 });
    expect(inUse.bundle?.publication.revision).toBe(3);
    await keep(await published(3, { expiresAt }));
    expect(await revisionOf(storeSource(stores.deployments))).toBe(3);
  });

  test("does not start without a bundle unless it may, and never behind what was in use", async () => {
    await expect(starting(undefined, { fallback: false })).rejects.toThrow(
      "No published configuration can be used: nothing is there.",
    );
    const ports = {
      ...(await instance()).live,
      configuration: (await instance()).live.snapshot,
      clock,
      random: webCryptoRandom,
    };
    there = await published(3);
    const { bundle } = await starting();
    expect(await mustFollow(await starting(), stores.deployments, undefined)).toBe(3);
    await expect(mustFollow(await starting(), stores.deployments, "us")).rejects.toThrow("for the region (none)");
    await raiseHighest(stores.deployments, 4, activated(ports, bundle?.publication as never));
    await expect(mustFollow(await starting(), stores.deployments, undefined)).rejects.toThrow(
      "Revision 4 of the configuration was in use, and the published one is revision 3. Publish revision 5, or put revision 4 back.",
    );
    there = new Error("no route");
    await expect(mustFollow(await starting(), stores.deployments, undefined)).rejects.toThrow(
      /no published .*no route/,
    );
  });

  test("finds whole bundles of many pieces in the store, and says what is missing of one that is not", async () => {
    const catalogs = {
      large: { tools: [], padding: crypto.getRandomValues(new Uint8Array(60_000)).join(" ").repeat(4) },
    };
    const large = { ...(await versioned("large")), catalogs: catalogs as never };
    const bytes = await ours.bundle(large, { revision: 1 });
    await keep(bytes);
    const [record] = (await stores.deployments.readDeployment()).published;
    const found = await storeSource(stores.deployments).read(undefined, undefined);
    expect(found?.bytes).toEqual(bytes);
    await stores.deployments.dropPieces(record?.bundle ?? "", 1);
    await expect(storeSource(stores.deployments).read(undefined, undefined)).rejects.toThrow(
      "is not whole in the store",
    );
  });
});
