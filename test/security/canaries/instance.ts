import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { type StandInVault, startVault } from "../../secrets/servers/vault.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { commandFile } from "../../support/shared-run/command.ts";
import { compiledOnce } from "../../support/shared-run/variables.ts";
import { startUpstream, type Upstream } from "../../support/upstream.ts";
import { type Receiver, startReceiver } from "../../telemetry/receiver.ts";
import { newSecret } from "./canaries.ts";

const OPENAPI = join(import.meta.dirname, "../../support/upstream.openapi.yaml");

/** A server as operators run it, with what it depends on, and with secrets of its own. */
export interface Instance {
  readonly url: string;
  readonly folder: string;
  readonly secrets: Secrets;
  readonly vault: StandInVault;
  readonly upstream: Upstream;
  readonly collector: Receiver;
  /** What the server wrote on stderr and stdout so far. */
  output(): string;
  /** Runs another command on the same configuration. */
  run(...parameters: readonly string[]): Promise<Finished>;
  /** Stops the server and everything else; resolves to the server's exit code. */
  stop(): Promise<number | null>;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Secrets {
  readonly vaultToken: string;
  readonly setupToken: string;
  readonly idSecret: string;
  readonly introspector: string;
  /** What the collector of telemetry wants to see. */
  readonly collectorKey: string;
  /** What calls to the API carry in their query. */
  readonly notesKey: string;
}

export const INTROSPECTOR = "resource-server";

export async function startInstance(): Promise<Instance> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-canaries-"));
  const secrets: Secrets = {
    vaultToken: `hvs.${randomBytes(24).toString("base64url")}`,
    setupToken: newSecret("setup"),
    idSecret: randomBytes(32).toString("base64url"),
    introspector: newSecret("introspector"),
    collectorKey: newSecret("collector"),
    notesKey: newSecret("notes"),
  };
  const [vault, upstream, collector, port] = await Promise.all([
    startVault(systemClock),
    startUpstream(),
    startReceiver(),
    freePort(),
  ]);
  vault.issue(secrets.vaultToken, { ttl: 3_600, renewable: true });
  vault.entries.set("secret/data/countersign/console", { "setup-token": secrets.setupToken });
  vault.entries.set("secret/data/countersign/provider", { "id-secret": secrets.idSecret });
  vault.entries.set("secret/data/countersign/introspector", { secret: secrets.introspector });
  vault.entries.set("secret/data/countersign/collector", { key: secrets.collectorKey });
  vault.entries.set("secret/data/countersign/notes", { key: secrets.notesKey });
  const url = `http://127.0.0.1:${port}`;
  const file = join(folder, "countersign.yaml");
  writeFileSync(file, configuration({ port, folder, upstream: upstream.url, collector: collector.url }));
  writeFileSync(join(folder, "upstream.yaml"), readFileSync(OPENAPI, "utf8") + SCHEME);
  const environment = {
    PATH: process.env.PATH,
    ...compiledOnce(),
    SVC_CONFIG: file,
    SVC_SECRET_PROVIDER: `hashivault+http://127.0.0.1:${vault.port}/secret/data/countersign?token=${secrets.vaultToken}`,
  };
  const program = await commandFile();
  const start = (parameters: readonly string[]) =>
    spawn(process.execPath, [program, ...parameters], { env: environment, stdio: ["ignore", "pipe", "pipe"] });

  const server = start([]);
  const exited = once(server, "exit");
  let output = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  await eventually(
    async () => server.exitCode !== null || output.includes('"listening"'),
    (isOver) => isOver,
  );
  if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}:\n${output}`);
  return {
    url,
    folder,
    secrets,
    vault,
    upstream,
    collector,
    output: () => output,
    run: async (...parameters) => {
      const child = start(parameters);
      const [[code], stdout, stderr] = await Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
      return { code, stdout, stderr };
    },
    stop: async () => {
      server.kill("SIGTERM");
      const [code] = await exited;
      await Promise.all([vault.close(), upstream.stop(), collector.stop()]);
      rmSync(folder, { recursive: true });
      return code;
    },
  };
}

/** Continues the components of the document, which end it. */
const SCHEME = "  securitySchemes: { notesKey: { type: apiKey, in: query, name: notes_key } }\n";

interface Addresses {
  readonly port: number;
  readonly folder: string;
  readonly upstream: string;
  readonly collector: string;
}

function configuration({ port, folder, upstream, collector }: Addresses): string {
  const exporter = (path: string) =>
    `{otlp: {endpoint: "${collector}/v1/${path}", headers: {X-Api-Key: <collector.key>}}}`;
  return `
version: "1"
logger: {level: debug, jsonOutput: true, logSessionID: true, fieldOrdering: {enabled: true}}
health: {heartbeat: {interval: 1s}}
http: {address: "127.0.0.1:${port}", publicURL: "http://127.0.0.1:${port}"}
store: {path: ${join(folder, "store")}}
console: {enabled: true, setupToken: <console.setup-token>}
telemetry:
  traces: {processors: [{simple: {exporter: ${exporter("traces")}}}]}
  metrics: {readers: [{periodic: {interval: 200, exporter: ${exporter("metrics")}}}]}
oidcProvider: {region: us, apiClients: {idSecret: <provider.id-secret>}}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: "http://127.0.0.1:${port}/.well-known/openid-configuration"
          tokenValidation:
            expectedAudiences: ["http://127.0.0.1:${port}/mcp"]
            method: introspection
            introspection:
              clientID: ${INTROSPECTOR}
              clientSecret: <introspector.secret>
              timeout: 5s
apps:
  - {type: oidc, name: resource server, clientID: ${INTROSPECTOR}, credentials: {secrets: [<introspector.secret>]}}
  - type: mcpBridge
    name: upstream
    mode: openapi
    openapi: {baseURL: "${upstream}", spec: {uri: "file://upstream.yaml"}}
    upstream: {auth: {notesKey: {value: <notes.key>}}}
    authorization: {inbound: {tools: [{name: createNote, scopes: ["notes:write"]}, {name: /.*/, scopes: []}]}, outbound: {type: unprotected}}
`;
}
