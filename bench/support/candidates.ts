import { execFileSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AssertionSource } from "./assertions.ts";
import { freePort, startProcess } from "./process.ts";

/** An authorization server under measurement, in a process of its own, with one API client. */
export interface Candidate {
  readonly name: string;
  readonly tokenEndpoint: string;
  readonly source: AssertionSource;
  stop(): Promise<void>;
}

const cli = fileURLToPath(new URL("../../infra/node/cli.ts", import.meta.url));
const peer = fileURLToPath(new URL("./peer.ts", import.meta.url));

/** Countersign as it ships: the Node entry and its embedded store on disk, each answer durable before it is sent. */
export async function startCountersign(): Promise<Candidate> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const issuer = `http://localhost:${await freePort()}`;
  const configuration = join(folder, "countersign.yaml");
  writeFileSync(configuration, countersignConfiguration(issuer, join(folder, "store")));
  const keyFile = join(folder, "client.pem");
  const create = ["client", "create", "-config", configuration, "-name", "bench", "-keyOut", keyFile];
  const { clientId } = JSON.parse(execFileSync(process.execPath, [cli, ...create], { encoding: "utf8" }));
  const running = await startProcess([cli, "-config", configuration], `${issuer}/status`);
  return {
    name: "Countersign (SQLite, durable)",
    tokenEndpoint: `${issuer}/oauth2/token`,
    source: { clientId, privateKeyPem: readFileSync(keyFile, "utf8"), audience: issuer },
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** oidc-provider 9 with a Map for a store. */
export async function startPeer(): Promise<Candidate> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKey = JSON.stringify(createPublicKey(privateKey).export({ format: "jwk" }));
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const running = await startProcess(
    [peer, String(port), "bench", publicKey],
    `${issuer}/.well-known/openid-configuration`,
  );
  return {
    name: "oidc-provider 9 (memory)",
    tokenEndpoint: `${issuer}/token`,
    source: {
      clientId: "bench",
      privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      audience: issuer,
    },
    stop: () => running.stop(),
  };
}

function countersignConfiguration(issuer: string, storePath: string): string {
  return JSON.stringify({
    version: "1",
    logger: { level: "warn" },
    http: { address: new URL(issuer).host, accessLog: { disabled: true } },
    store: { path: storePath },
    oidcProvider: { region: "us" },
  });
}
