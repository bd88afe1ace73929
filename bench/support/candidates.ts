import { execFileSync } from "node:child_process";
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../test/support/free-port.ts";
import { type AssertionSource, tokenForm } from "./assertions.ts";
import type { BareOptions } from "./bare/server.ts";
import { CLI, type MoreConfiguration, startServer, writeConfiguration } from "./countersign.ts";
import { basic, serializePost, type Target } from "./http-request.ts";
import type { PeerOptions } from "./peer.ts";
import { startProcess } from "./process.ts";

/** An authorization server under measurement, in a process of its own, with one API client and one client that introspects. */
export interface Candidate {
  readonly name: string;
  readonly pid: number;
  readonly target: Target;
  /** Where it introspects, if elsewhere. */
  readonly introspection?: Target;
  /** Requests for tokens, each with an assertion of its own. */
  tokenRequests(count: number): readonly Buffer[];
  introspectionRequests(tokens: readonly string[]): readonly Buffer[];
  stop(): Promise<void>;
}

const INTROSPECTOR = { clientId: "resource-server", secret: "secret-of-the-benchmark-resource-server" };

/** Countersign as it ships: the Node entry and its embedded store on disk, each answer durable before it is sent. */
export async function startCountersign(
  parent: string,
  { name = "Countersign (SQLite, durable)", ...more }: MoreConfiguration & { readonly name?: string } = {},
): Promise<Candidate> {
  const folder = mkdtempSync(join(parent, "token-"));
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const { clientId, secret } = INTROSPECTOR;
  const configuration = writeConfiguration(folder, port, {
    ...more,
    apps: [
      { name: clientId, type: "oidc", clientID: clientId, credentials: { secrets: [secret] } },
      ...(more.apps ?? []),
    ],
  });
  const keyFile = join(folder, "client.pem");
  const create = ["client", "create", "-config", configuration, "-name", "bench", "-keyOut", keyFile];
  const client = JSON.parse(execFileSync(process.execPath, [CLI, ...create], { encoding: "utf8", stdio: "pipe" }));
  const { pid, stop } = await startServer(configuration, issuer);
  const privateKey = createPrivateKey(readFileSync(keyFile));
  return candidate(
    { name, port, pid, token: "/oauth2/token", introspect: "/oauth2/introspect" },
    { clientId: client.clientId, privateKey, audience: issuer },
    stop,
  );
}

/** oidc-provider with a Map for a store. */
export async function startPeer(): Promise<Candidate> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const jwk = createPublicKey(privateKey).export({ format: "jwk" });
  const options: PeerOptions = { port, clientId: "bench", jwk, introspector: INTROSPECTOR };
  const program = fileURLToPath(new URL("./peer.ts", import.meta.url));
  const ready = `${issuer}/.well-known/openid-configuration`;
  const { pid, stop } = await startProcess(process.execPath, [program, JSON.stringify(options)], ready);
  return candidate(
    { name: `oidc-provider ${peerVersion()} (memory)`, port, pid, token: "/token", introspect: "/token/introspection" },
    { clientId: "bench", privateKey, audience: issuer },
    stop,
  );
}

/** About the least that a durable server on Node can be. */
export async function startBare(parent: string): Promise<Candidate> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const jwk = createPublicKey(privateKey).export({ format: "jwk" });
  const database = join(mkdtempSync(join(parent, "bare-")), "bare.db");
  const options: BareOptions = { port, database, clientId: "bench", jwk, introspector: INTROSPECTOR };
  const program = fileURLToPath(new URL("./bare/server.ts", import.meta.url));
  const { pid, stop } = await startProcess(process.execPath, [program, JSON.stringify(options)], `${issuer}/status`);
  return candidate(
    { name: "node:http and node:sqlite alone", port, pid, token: "/token", introspect: "/introspect" },
    { clientId: "bench", privateKey, audience: issuer },
    stop,
  );
}

interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Paths of the endpoints. */
  readonly token: string;
  readonly introspect: string;
}

function candidate(server: Server, source: AssertionSource, stop: () => Promise<void>): Candidate {
  const { name, pid, port, token: tokenPath, introspect } = server;
  const target = { host: "localhost", port };
  const authorization = basic(INTROSPECTOR.clientId, INTROSPECTOR.secret);
  return {
    name,
    pid,
    target,
    tokenRequests: (count) =>
      Array.from({ length: count }, () => serializePost(target, { path: tokenPath, form: tokenForm(source) })),
    introspectionRequests: (tokens) =>
      tokens.map((token) => serializePost(target, { path: introspect, form: { token }, authorization })),
    stop,
  };
}

function peerVersion(): string {
  return (createRequire(import.meta.url)("oidc-provider/package.json") as { readonly version: string }).version;
}
