import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { followOnNode } from "../../infra/node/deployment.ts";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { activated } from "../../lib/audit/deployment-events.ts";
import { type KeptLive, resolveLive } from "../../lib/config/live-configuration.ts";
import { artifactOf, BUNDLE_BYTES, type OpenedBundle, openBundle } from "../../lib/deployment/bundle.ts";
import { type FollowedHere, followDeployment } from "../../lib/deployment/follow.ts";
import { keepPublication, raiseHighest, storeSource } from "../../lib/deployment/records.ts";
import type { DeploymentSettings } from "../../lib/deployment/settings.ts";
import { type BundleSource, NothingPublishedError } from "../../lib/deployment/source.ts";
import { mustFollow, startPublished } from "../../lib/deployment/starting.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { SecretError, type SecretProvider } from "../../lib/secrets/provider.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { newStoreFolder } from "../support/store-folder.ts";
import { type Publisher, publisher, versioned } from "./bundles.ts";

const INTERVAL = 30_000;

/** What is at the source: a bundle, nothing, or a failure. */
let there: Uint8Array<ArrayBuffer> | Error;
let reads: number;
let now: number;
let lines: string[];
/** What the secret provider has, and how often it was asked. */
let secrets: Record<string, string>;
let asked: number;
let ours: Publisher;
let stores: Stores;
let folder: string;
let close: () => Promise<void>;
let settings: DeploymentSettings;

beforeEach(async () => {
  ours = await publisher();
  folder = newStoreFolder();
  const executor = openSqlite(folder);
  stores = sqlStores(executor, clock);
  close = async () => {
    await executor.close();
    rmSync(folder, { recursive: true });
  };
  [there, reads, now, lines] = [new NothingPublishedError("nothing is there"), 0, Date.UTC(2026, 10, 1), []];
  [secrets, asked] = [{}, 0];
  const source = new URL("https://config.example/bundle.json");
  const instance = { reload: true, interval: INTERVAL, fallback: true, limit: BUNDLE_BYTES };
  settings = { source, keys: ours.keys, deployment: "production", ...instance };
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

const provider: SecretProvider = {
  get: async (reference) => {
    asked += 1;
    const value = secrets[reference];
    if (value === undefined) throw new SecretError("it is not there");
    return value;
  },
};

/** An instance that was started with something that was not published. */
async function instance(
  own = versioned("own"),
): Promise<{ live: KeptLive; followed: FollowedHere; look(): Promise<void> }> {
  const resolved = await resolveLive(await own, {
    ...{ environment: {}, runtime: "node", openSecrets: () => provider, clock },
  });
  const live = await resolved.keepLive({ logger });
  const ports = { configuration: live.snapshot, clock, random: webCryptoRandom, logger };
  const followed = followDeployment({
    ...ports,
    ...{ settings, source, version: "0.1.0", highest: 0, region: undefined, takeOver: live.takeOver },
    artifact: live.artifact,
    keep: ({ publication }) => raiseHighest(stores.deployments, publication, activated(ports, publication)),
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

test("81. metrics count what is taken over, and each refusal once with its kind", async () => {
  const [counted, one] = [[] as string[], await instance()];
  one.followed.countIn({
    record: (name, value, attributes) => counted.push(`${name} ${value} ${attributes["countersign.outcome"] ?? ""}`),
  });
  secrets = { "vault.state": "A".repeat(43) };
  for (there of [
    await published(1),
    await published(2, { deployment: "staging" }),
    await ours.bundle(await versioned("v2", "console: {setupToken: <vault.setup>}"), { revision: 2 }),
    await ours.bundle(await versioned("v3", "mcpProvider: {enabled: true, stateSecret: <vault.state>}"), {
      revision: 3,
    }),
    await published(4),
  ]) {
    for (let look = 0; look < 3; look++) {
      pass(1);
      await one.look();
    }
  }
  const refused = ["bundle", "configuration", "restart"].map((kind) => `countersign.config.refused 1 ${kind}`);
  expect(counted).toEqual(["countersign.config.activated 1 ", ...refused, "countersign.config.activated 1 "]);
});

describe("81. an instance whose secrets", () => {
  const STATE = "mcpProvider: {enabled: true, stateSecret: <vault.state>}";
  const [first, second] = ["A".repeat(43), "B".repeat(42).padEnd(43, "A")];

  test("are not there is not asked for them all the time, and takes over when they come", async () => {
    settings = { ...settings, interval: 500 };
    const one = await instance();
    there = await ours.bundle(await versioned("v1", "console: {setupToken: <vault.setup>}"), { revision: 1 });
    for (let look = 0; look < 600; look++) {
      now += 700;
      await one.look();
    }
    expect(asked).toBeLessThan(40);
    secrets = { "vault.setup": "a-setup-token-of-forty-characters-or-more-1" };
    for (let look = 0; look < 100 && version(one) === "own"; look++) {
      now += 700;
      await one.look();
    }
    expect(version(one)).toBe("v1");
  });

  test("were renewed takes over what names the same, and nothing that names others until it starts", async () => {
    secrets = { "vault.state": first, "vault.other": first };
    const one = await instance(versioned("own", STATE));
    secrets = { "vault.state": second, "vault.other": first };
    now += 400_000;
    const work: Promise<unknown>[] = [];
    one.live.refresh({ waitUntil: (refreshing) => work.push(refreshing) });
    await Promise.all(work);
    there = await ours.bundle(await versioned("v1", STATE), { revision: 1 });
    await one.look();
    expect([version(one), one.followed.state().refused]).toEqual(["v1", undefined]);
    there = await ours.bundle(await versioned("v2", STATE.replace("state>", "other>")), { revision: 2 });
    pass(1);
    await one.look();
    expect(version(one)).toBe("v1");
    expect(one.followed.state().refused?.reason).toContain("from its start alone: mcpProvider.stateSecret. Restart");
    await expect(one.followed.judge(there, { mayRestart: false, force: [] })).rejects.toThrow("Restart the instances");
    expect(await one.followed.judge(there, { mayRestart: true, force: [] })).toMatchObject({ revision: 2 });
  });
});

describe("81. an instance that starts", () => {
  const resolve = async (bundle: OpenedBundle | undefined) => {
    const artifact = bundle?.artifact ?? (await versioned("own"));
    return resolveLive(artifact, { environment: {}, runtime: "node", openSecrets: () => provider, clock });
  };
  const starting = async (kept: BundleSource | undefined = undefined, more: Partial<DeploymentSettings> = {}) => {
    const terms = { version: "0.1.0", now, record: await stores.deployments.readDeployment() };
    return startPublished({ ...settings, ...more }, { source, kept }, terms, resolve);
  };
  /** From the own store alone. */
  const startingFromStore = async () => {
    const terms = { version: "0.1.0", now, record: await stores.deployments.readDeployment() };
    return startPublished(settings, { source: storeSource(stores.deployments) }, terms, resolve);
  };
  const revisionOf = async (kept?: BundleSource) => (await starting(kept)).bundle?.publication.revision;
  const opened = async (bytes: Uint8Array<ArrayBuffer>) => ({ bytes, publication: await openBundle(bytes, ours.keys) });
  const keep = async (bytes: Uint8Array<ArrayBuffer>) => {
    const bundle = await opened(bytes);
    await keepPublication(stores.deployments, bundle, { by: "source", events: [] });
    return artifactOf(bundle.publication);
  };
  const use = async (bytes: Uint8Array<ArrayBuffer>) => {
    const ports = { configuration: (await instance()).live.snapshot, clock, random: webCryptoRandom };
    const { publication } = await opened(bytes);
    await raiseHighest(stores.deployments, publication, activated(ports, publication));
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
    await keep(await published(3, { expiresAt }));
    expect(await revisionOf(storeSource(stores.deployments))).toBe(3);
    await use(await published(3, { expiresAt }));
    expect(await revisionOf()).toBe(3);
  });

  test("goes down to what was in use, where nobody can use what was published after it, and no further", async () => {
    for (const revision of [1, 2, 3]) await keep(await published(revision));
    await use(await published(2));
    const broken = await versioned("v4", "console: {setupToken: <vault.setup>}");
    await keep(await ours.bundle(broken, { revision: 4 }));
    await keep(await published(5, { minimumVersion: "9.0.0" }));
    const { bundle, used, problems } = await startingFromStore();
    expect([bundle?.publication.revision, used.configuration.version]).toEqual([3, "v3"]);
    expect(problems).toEqual([
      "store:: the bundle needs release 9.0.0 or a later one; this is 0.1.0",
      expect.stringMatching(/^revision 4: .*console\.setupToken: it is not there/),
    ]);
    const two = (await stores.deployments.readDeployment()).published[1];
    const three = (await stores.deployments.readDeployment()).published[2];
    for (const one of [two, three]) await stores.deployments.dropPieces(one?.bundle ?? "", 1);
    await expect(startingFromStore()).rejects.toThrow(/^Revision 2 of the configuration was in use, and the published/);
  });

  test("of the instances of one store, none is of another region or deployment, or has other contents", async () => {
    await use(await published(3, { region: "us" }));
    const record = await stores.deployments.readDeployment();
    expect(record).toMatchObject({ highest: 3, inUse: { deployment: "production", region: "us" } });
    const rows: readonly (readonly [Uint8Array<ArrayBuffer>, string])[] = [
      [await published(4, { region: "uk" }), 'is for the region "uk"; this store is of the region "us"'],
      [
        await published(4, { region: "us", deployment: "staging" }),
        'is for the deployment "staging"; this store is of',
      ],
      [
        await ours.bundle(await versioned("other"), { revision: 3, region: "us" }),
        "has other contents than revision 3",
      ],
      [await published(2, { region: "us" }), "has revision 2; revision 3 was in use already"],
      [
        await published(2_000_000_000, { region: "us" }),
        "has revision 2000000000; after 3, revisions up to 1000000003",
      ],
    ];
    for (const [bytes, why] of rows) {
      await expect(use(bytes), why).rejects.toThrow(why);
      expect(await stores.deployments.readDeployment()).toEqual(record);
    }
    await expect(keep(rows[0]?.[0] as never)).rejects.toThrow("this store is of the region");
  });

  test("keeps no file of what the store refuses", async () => {
    await use(await published(3, { region: "us" }));
    const { live } = await instance();
    const cache = join(folder, "bundle.json");
    const ports = { configuration: live.snapshot, clock, random: webCryptoRandom, logger, stores };
    const followed = await followOnNode(
      { settings, sourceIn: () => source, cache },
      {
        problems: [],
        bundle: { ...(await opened(await published(3, { region: "us" }))), artifact: await versioned("v3") },
      },
      {
        ...{ dependencies: ports, region: undefined, takeOver: live.takeOver, waitUntil: () => undefined },
        artifact: live.artifact,
        others: () => ({ takeOver: async () => undefined }),
      },
    );
    const before = readFileSync(cache);
    there = await published(4);
    await followed.poll();
    expect(followed.state().refused?.reason).toContain('this store is of the region "us"');
    expect(readFileSync(cache)).toEqual(before);
  });

  test("takes nothing of another region than its own, also as the first one", async () => {
    there = await published(1, { region: "us" });
    const { problems } = await starting(undefined, { region: "uk" });
    expect(problems).toEqual([expect.stringContaining('is for the region "us"; this instance has the region "uk"')]);
    expect((await starting()).problems).toEqual([
      "revision 1: the bundle is for the region us, and its configuration has none",
    ]);
  });

  test("does not start without a bundle unless it may, and never behind what was in use", async () => {
    await expect(starting(undefined, { fallback: false })).rejects.toThrow(
      "No published configuration can be used: nothing is there.",
    );
    there = await published(3);
    const three = await starting();
    expect(await mustFollow(three, stores.deployments)).toBe(3);
    await use(await published(4));
    const behind =
      "Revision 4 of the configuration was in use, and the published one is revision 3. Publish revision 5, or put revision 4 back.";
    await expect(mustFollow(three, stores.deployments)).rejects.toThrow(behind);
    await expect(starting()).rejects.toThrow(behind);
    there = new Error("no route");
    await expect(starting()).rejects.toThrow(/no published .*no route/);
  });

  test("finds whole bundles of many pieces in the store, and says what is missing of one that is not", async () => {
    const padding = crypto.getRandomValues(new Uint8Array(60_000)).join(" ").repeat(4);
    const large = { ...(await versioned("large")), padding };
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
