import { execFileSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import { tokenForm } from "./assertions.ts";
import type { Candidate } from "./candidates.ts";
import { serializePost } from "./http-request.ts";
import { optionalPeer } from "./optional-peers.ts";
import { type RunningProcess, startProcess } from "./process.ts";

/** Ory Hydra with SQLite on disk and its settings for it. Introspection is on its port for administration, which asks for nothing. */
export async function startHydra(parent: string): Promise<Candidate | undefined> {
  const program = await optionalPeer("hydra");
  if (program === undefined) return undefined;
  const server = await startHydraServer(parent, program);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...createPublicKey(privateKey).export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "bench" };
  const created = await fetch(`http://localhost:${server.admin}/admin/clients`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      grant_types: ["client_credentials"],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      jwks: { keys: [jwk] },
    }),
  });
  if (!created.ok) throw new Error(`Hydra created no client: ${created.status} ${await created.text()}`);
  const { client_id: clientId } = (await created.json()) as { readonly client_id: string };
  const audience = `http://localhost:${server.port}/oauth2/token`;
  const target = { host: "localhost", port: server.port };
  const introspection = { host: "localhost", port: server.admin };
  return {
    name: "Ory Hydra (SQLite)",
    pid: server.pid,
    target,
    introspection,
    tokenRequests: (count) =>
      Array.from({ length: count }, () =>
        serializePost(target, { path: "/oauth2/token", form: tokenForm({ clientId, privateKey, audience }) }),
      ),
    introspectionRequests: (tokens) =>
      tokens.map((token) => serializePost(introspection, { path: "/admin/oauth2/introspect", form: { token } })),
    stop: server.stop,
  };
}

interface HydraServer extends RunningProcess {
  readonly port: number;
  readonly admin: number;
}

/** With a store of its own, whose tables are made first. */
export async function startHydraServer(parent: string, program: string): Promise<HydraServer> {
  const folder = mkdtempSync(join(parent, "hydra-"));
  const file = join(folder, "hydra.json");
  const [port, admin] = [await freePort(), await freePort()];
  const host = "localhost";
  const configuration = {
    dsn: `sqlite://${join(folder, "store.sqlite")}?_fk=true`,
    serve: { public: { host, port }, admin: { host, port: admin } },
    urls: { self: { issuer: `http://localhost:${port}` } },
    secrets: { system: ["secret-of-the-benchmark-hydra"] },
    log: { level: "error" },
    sqa: { opt_out: true },
  };
  writeFileSync(file, JSON.stringify(configuration));
  execFileSync(program, ["migrate", "sql", "up", "-e", "--yes", "-c", file], { stdio: "pipe" });
  const ready = `http://localhost:${admin}/health/ready`;
  return { port, admin, ...(await startProcess(program, ["serve", "all", "--dev", "-c", file], ready)) };
}
