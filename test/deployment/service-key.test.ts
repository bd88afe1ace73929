import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startAtEdge } from "../../infra/edge/deployment.ts";
import { nodeDeployment, startingConfiguration } from "../../infra/node/deployment.ts";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { StartupError } from "../../infra/node/startup-error.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { resolveLive } from "../../lib/config/live-configuration.ts";
import { BUNDLE_BYTES, openBundle, publicationOf, signBundle } from "../../lib/deployment/bundle.ts";
import { keepPublication } from "../../lib/deployment/records.ts";
import { withServiceKey } from "../../lib/deployment/service-key.ts";
import { type DeploymentSettings, readDeploymentSettings } from "../../lib/deployment/settings.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { Deployments } from "../../lib/stores/deployments.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import { newStoreFolder } from "../support/store-folder.ts";
import { ABOUT, artifactFrom, type Publisher, publisher, versioned } from "./bundles.ts";

const SECRET = new Uint8Array(32).fill(7);
const STORE = { SVC_CONFIG_SOURCE: "store:", SVC_CONFIG_DEPLOYMENT: "production" };

let deployments: Deployments;
let close: () => Promise<void>;
let ours: Publisher;

beforeEach(async () => {
  const folder = newStoreFolder();
  const executor = openSqlite(folder);
  ({ deployments } = sqlStores(executor, systemClock));
  ours = await publisher();
  close = async () => {
    await executor.close();
    rmSync(folder, { recursive: true });
  };
});
afterEach(() => close());

const read = async (more: Readonly<Record<string, string>>): Promise<DeploymentSettings> => {
  const runtime = { schemes: ["store", "https"], limit: BUNDLE_BYTES } as const;
  const settings = await readDeploymentSettings({ ...STORE, ...more }, runtime);
  if (settings === undefined) throw new Error("there are no settings");
  return settings;
};
const opened = (settings: DeploymentSettings, secret: Uint8Array<ArrayBuffer> | undefined = SECRET) =>
  withServiceKey(settings, secret, { deployments, random: webCryptoRandom });

describe("81. SVC_CONFIG_SIGNING", () => {
  test("is for the own store, where keys of operators are not needed any more", async () => {
    const service = await read({ SVC_CONFIG_SIGNING: "service" });
    expect([service.signing, service.keys.size]).toEqual(["service", 0]);
    const both = await read({ SVC_CONFIG_SIGNING: "service", SVC_CONFIG_KEYS: ours.publicPem });
    expect([both.signing, [...both.keys.keys()]]).toEqual(["service", [ours.kid]]);
    for (const value of ["", "operator"])
      expect((await read({ SVC_CONFIG_SIGNING: value, SVC_CONFIG_KEYS: ours.publicPem })).signing).toBe(undefined);
    for (const [value, approvals] of [
      ["", undefined],
      ["1", undefined],
      ["2", 2],
    ] as const)
      expect((await read({ SVC_CONFIG_SIGNING: "service", SVC_CONFIG_APPROVALS: value })).approvals).toBe(approvals);
  });

  test("says what it accepts", async () => {
    const rows: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [
        { SVC_CONFIG_DEPLOYMENT: "" },
        "SVC_CONFIG_DEPLOYMENT is not set; accepted: a name of your choice, with letters",
      ],
      [{ SVC_CONFIG_SIGNING: "Service" }, 'SVC_CONFIG_SIGNING: found "Service"; accepted: operator or service.'],
      [
        { SVC_CONFIG_SIGNING: "service", SVC_CONFIG_SOURCE: "https://config.example/bundle" },
        "SVC_CONFIG_SIGNING: service is for SVC_CONFIG_SOURCE=store: alone",
      ],
      [{ SVC_CONFIG_SIGNING: "operator" }, "SVC_CONFIG_KEYS is not set"],
      [
        { SVC_CONFIG_APPROVALS: "2", SVC_CONFIG_KEYS: ours.publicPem },
        "SVC_CONFIG_APPROVALS: 2 is for SVC_CONFIG_SIGNING=service alone",
      ],
      [
        { SVC_CONFIG_APPROVALS: "3", SVC_CONFIG_SIGNING: "service" },
        'SVC_CONFIG_APPROVALS: found "3"; accepted: 1 or 2.',
      ],
      [{ SVC_CONFIG_SIGNING: "service", SVC_CONFIG_KEYS: "no key" }, "SVC_CONFIG_KEYS holds no public key"],
    ];
    for (const [more, message] of rows) await expect(read(more), message).rejects.toThrow(message);
  });
});

describe("81. the key of the instances", () => {
  const service = () => read({ SVC_CONFIG_SIGNING: "service", SVC_CONFIG_KEYS: ours.publicPem });

  test("is made once, by whichever of many is first, and all believe what it signs", async () => {
    const settings = await service();
    const all = await Promise.all(Array.from({ length: 10 }, () => opened(settings)));
    const kids = new Set(all.map(({ signer }) => signer?.kid));
    expect(kids.size).toBe(1);
    const [one, other] = [all[0], all[1]] as [DeploymentSettings, DeploymentSettings];
    const publication = await publicationOf(await versioned("signed"), ABOUT);
    const { key, kid } = one.signer as NonNullable<DeploymentSettings["signer"]>;
    const bundle = utf8(await signBundle(publication, key, kid));
    expect(await openBundle(bundle, other.keys)).toEqual(publication);
    // Those of operators are believed, too, and elsewhere nobody believes the instances.
    expect(other.keys.has(ours.kid)).toBe(true);
    await expect(openBundle(bundle, ours.keys)).rejects.toThrow("none of this instance's");
  });

  test("is not made where operators sign", async () => {
    const settings = await read({ SVC_CONFIG_KEYS: ours.publicPem });
    expect(await opened(settings, undefined)).toBe(settings);
    expect((await deployments.readDeployment()).serviceKey).toBe(undefined);
  });

  test("leaves the store sealed alone, and needs a secret for that", async () => {
    for (const secret of [undefined, new Uint8Array(31)])
      await expect(withServiceKey(await service(), secret, { deployments, random: webCryptoRandom })).rejects.toThrow(
        "SVC_CONFIG_SIGNING=service needs oidcProvider.keySecret",
      );
    await opened(await service());
    const { serviceKey } = await deployments.readDeployment();
    expect(Object.keys(serviceKey ?? {}).sort()).toEqual(["keyId", "publicKey", "sealedPrivateKey"]);
    expect(Object.keys(serviceKey?.publicKey ?? {}).sort()).toEqual(["crv", "kty", "x", "y"]);
    await expect(opened(await service(), new Uint8Array(32).fill(8))).rejects.toThrow(
      "encrypted with another secret: put the former oidcProvider.keySecret back",
    );
  });

  test("cannot be replaced by whoever can write into the store alone", async () => {
    await opened(await service());
    const record = await deployments.readDeployment();
    const former = record.serviceKey as NonNullable<typeof record.serviceKey>;
    const foreign = await publisher();
    const { kty: _, ...jwk } = JSON.parse(
      JSON.stringify(await crypto.subtle.exportKey("jwk", [...foreign.keys.values()][0] as CryptoKey)),
    );
    const publicKey = { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y } as const;
    let { version } = record;
    for (const serviceKey of [
      { ...former, publicKey },
      { ...former, publicKey, keyId: foreign.kid },
      {
        ...former,
        sealedPrivateKey: `${former.sealedPrivateKey.startsWith("A") ? "B" : "A"}${former.sealedPrivateKey.slice(1)}`,
      },
    ]) {
      version += 1;
      expect(await deployments.replaceDeployment({ ...record, version, serviceKey }, [])).toBe(true);
      await expect(opened(await service())).rejects.toThrow("encrypted with another secret");
    }
  });
});

describe("81. an instance that signs", () => {
  const KEY_SECRET = Buffer.from(SECRET).toString("base64url");
  const PROVIDER = `oidcProvider: {region: us, discovery: {issuer: "https://us.example"}, apiClients: {idSecret: ${KEY_SECRET}}`;
  const signs = { ...STORE, SVC_CONFIG_SIGNING: "service" };
  const resolve = (artifact: ConfigurationArtifact) =>
    resolveLive(artifact, {
      ...{ environment: {}, runtime: "node", clock: systemClock },
      openSecrets: () => ({ get: () => Promise.reject(new Error("there are no secrets")) }),
    });
  const ports = () => ({
    ...{ openDeployments: () => deployments, resolve, fetch, clock: systemClock, random: webCryptoRandom },
  });

  test("starts at the edge with its own configuration, and then with what was signed", async () => {
    const own = await versioned("own", `${PROVIDER}, keySecret: ${KEY_SECRET}}`);
    const first = await startAtEdge(own, signs, ports());
    expect(first.resolved.configuration.version).toBe("own");
    const { key, kid } = first.deployment?.settings.signer ?? { key: undefined as never, kid: "" };
    const about = { ...ABOUT, region: "us" };
    const publication = await publicationOf(await versioned("signed", `${PROVIDER}, keySecret: ${KEY_SECRET}}`), about);
    const bytes = utf8(await signBundle(publication, key, kid));
    await keepPublication(deployments, { publication, bytes }, { by: "user_1", events: [] });
    const second = await startAtEdge(own, signs, ports());
    expect(second.resolved.configuration.version).toBe("signed");
    expect(second.deployment?.settings.signer?.kid).toBe(kid);
  });

  test("does not start at the edge without a secret of its own", async () => {
    const own = await versioned("own", `${PROVIDER}}`);
    await expect(startAtEdge(own, signs, ports())).rejects.toThrow("needs oidcProvider.keySecret");
  });

  test("has the secret in its folder on Node, where none is configured", async () => {
    const store = mkdtempSync(join(tmpdir(), "countersign-signing-"));
    const artifact = await artifactFrom(`version: own\nstore: {path: ${store}}\n${PROVIDER}}`);
    const deployment = await nodeDeployment(signs);
    const kids = new Set<string | undefined>();
    for (const _ of [1, 2]) {
      const started = await startingConfiguration({ artifact, deployment }, resolve);
      kids.add(started.deployment?.settings.signer?.kid);
    }
    expect([kids.size, kids.has(undefined)]).toEqual([1, false]);
    truncateSync(join(store, "signing-keys.key"), 31);
    await expect(startingConfiguration({ artifact, deployment }, resolve)).rejects.toThrow(StartupError);
    rmSync(store, { recursive: true });
  });
});
