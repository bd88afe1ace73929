import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configuredOutbound } from "../../infra/node/net/configured-outbound.ts";
import type { TlsConfiguration } from "../../lib/config/configuration.ts";
import { connectorTo, down, startWithHealth, UP } from "../health/with-health.ts";
import { createAuthority } from "../support/certificates.ts";
import { startProvider, type TestProvider } from "./provider.ts";

let folder: string;
let provider: TestProvider;
let tls: Readonly<Record<string, TlsConfiguration>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-connector-"));
  const authority = createAuthority();
  provider = await startProvider({ certificate: authority.issue() });
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const entry: TlsConfiguration = { minVersion: "1.2", clientAuth: "NoClientCert", clientCAFiles: [] };
  tls = { corp: { ...entry, caFile }, none: entry, missing: { ...entry, caFile: join(folder, "nowhere.pem") } };
});
afterAll(async () => {
  await provider.stop();
  rmSync(folder, { recursive: true });
});

/** A connector for each of these entries of `tls`, named after it. */
const start = (...entries: readonly (string | undefined)[]) =>
  startWithHealth({
    configuration: {
      tls,
      connectors: entries.map((entry) =>
        connectorTo(provider.wellKnownURL, { name: entry ?? "plain", ...(entry !== undefined && { tls: entry }) }),
      ),
    },
    adapt: (dependencies) => ({
      ...dependencies,
      outbound: configuredOutbound({ tls, environment: {}, logger: dependencies.logger }),
    }),
  });

test("a provider with a certificate of its own authority is found with the CA of the connector's tls entry", async () => {
  const it = await start("corp");
  await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(UP);
});

test("without the CA the connector is down, and the log says that it is the certificate", async () => {
  const it = await start(undefined);
  expect(await it.health()).toEqual(down("connector:plain"));
  await expect.poll(() => it.entries("connector not available"), { timeout: 20_000 }).toHaveLength(1);
  const [entry] = it.entries("connector not available");
  expect(entry?.reason).toMatch(/certificate/);
});

test("an entry that cannot be used takes its own connector down and no other", async () => {
  const it = await start("missing", "corp");
  await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(down("connector:missing"));
  const [entry] = it.entries("connector not available");
  expect(entry?.reason).toMatch(/^tls\.missing\..*nowhere\.pem/);
});
