import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openNodeDependencies } from "../../infra/node/dependencies.ts";
import { openSecrets } from "../../infra/node/secrets.ts";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { REDACTED } from "../../lib/logging/redaction.ts";
import { secretValues } from "../../lib/logging/secret-values.ts";
import { createWorkplace } from "../cli/countersign.ts";
import { compiled, configurationOf } from "../config/support.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type StandInVault, startVault } from "./servers/vault.ts";
import { json } from "./servers/vendor-server.ts";

const ROLE = { roleId: "a-role-of-the-test", secretId: "8c1f+secret/id=of-the-test" };
const CREDENTIALS = `roleID=${ROLE.roleId}&secretID=${encodeURIComponent(ROLE.secretId)}`;
const ENTRY = "secret/data/countersign/introspector";
const FORMER = "the first secret of the resource server";
const LATER = "the second secret of the resource server";

let folder: string;
let vault: StandInVault;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-vault-"));
  vault = await startVault(systemClock);
  vault.allow(ROLE, { ttl: 3_600, renewable: true });
});

afterAll(async () => {
  await vault.close();
  rmSync(folder, { recursive: true });
});

const provider = () => `hashivault+http://127.0.0.1:${vault.port}/secret/data/countersign?${CREDENTIALS}`;

function configuration(port: number): string {
  return `
version: "1"
http: {address: "127.0.0.1:${port}"}
store: {path: ${join(folder, `store-${port}`)}}
logger: {jsonOutput: true}
oidcProvider: {region: us}
apps:
  - type: oidc
    name: resource server
    clientID: resource-server
    credentials: {secrets: [<introspector.secret>]}
`;
}

test("a secret in Vault is in effect, a new value is without a restart, and an outage changes nothing", async () => {
  vault.entries.set(ENTRY, { secret: FORMER });
  const lines: string[] = [];
  const document = configuration(await freePort());
  const server = await startServer({
    artifact: await compiled(document),
    environment: {},
    secrets: await openSecrets(provider(), {}),
    secretInterval: 100,
    verbose: true,
    write: (line) => lines.push(line),
  });
  try {
    expect(await introspects(server, FORMER)).toBe(200);
    expect(await introspects(server, LATER)).toBe(401);

    vault.entries.set(ENTRY, { secret: LATER });
    await eventually(
      () => introspects(server, LATER),
      (status) => status === 200,
    );
    expect(await introspects(server, FORMER)).toBe(401);
    expect(entries(lines, "configuration replaced")).toMatchObject([{ revision: 2, configVersion: "1" }]);

    vault.before = () => json(503, { errors: ["Vault is sealed"] }, { "Retry-After": "0" });
    const warned = "a secret cannot be refreshed; its former value stays in use";
    await eventually(
      async () => entries(lines, warned).length,
      (count) => count > 0,
    );
    expect(await introspects(server, LATER)).toBe(200);
    expect(entries(lines, warned)).toMatchObject([{ level: "warn", reference: "introspector.secret" }]);

    vault.before = undefined;
    vault.entries.set(ENTRY, { secret: FORMER });
    await eventually(
      () => introspects(server, FORMER),
      (status) => status === 200,
    );
  } finally {
    vault.before = undefined;
    await server.stop();
  }
  expect(await recorded(document)).toEqual(["3", "2", "1"]);
  for (const value of [FORMER, LATER, ROLE.secretId, "hvs.login"]) expect(lines.join("\n")).not.toContain(value);
});

test("a setup token that changes is the only one from then on, and the log has neither", async () => {
  const [former, later] = ["the first setup token of all", "the second setup token of all"];
  const entry = "secret/data/countersign/setup";
  vault.entries.set(entry, { token: former });
  const lines: string[] = [];
  const knownSecrets = secretValues();
  const secrets = await openSecrets(provider(), {});
  secrets.onValue(knownSecrets.add);
  const port = await freePort();
  const server = await startServer({
    artifact: await compiled(
      `${configuration(port).split("apps:")[0]}console: {enabled: true, setupToken: <setup.token>}`,
    ),
    environment: {},
    secrets,
    secretInterval: 100,
    verbose: true,
    knownSecrets,
    write: (line) => lines.push(line),
  });
  try {
    vault.entries.set(entry, { token: later });
    await eventually(
      async () => entries(lines, "configuration replaced").length,
      (count) => count > 0,
    );
    expect(await setUp(server, former)).toBe(403);
    expect(await setUp(server, later)).toBe(201);
  } finally {
    await server.stop();
  }
  const log = lines.join("\n");
  expect(log).toContain(REDACTED);
  for (const token of [former, later]) expect(log).not.toContain(encodeURIComponent(token));
});

test("a secret that is not there keeps the command from starting, with one line that has no credentials", async () => {
  vault.entries.delete(ENTRY);
  expect(await runServer(provider())).toEqual({
    code: 3,
    stderr: expect.stringMatching(
      /^\S+countersign\.yaml:11:29: apps\[0\]\.credentials\.secrets\[0\]: hashivault\+http has not given the secret <introspector\.secret>: the entry secret\/data\/countersign\/introspector is not there; the entry secret\/data\/countersign is not there\n$/,
    ),
  });
});

test("so does a provider that does not let the instance sign in", async () => {
  expect(await runServer(provider().replace("a-role", "another-role"))).toEqual({
    code: 3,
    stderr: expect.stringMatching(
      /^\S+countersign\.yaml:11:29: .*: signing in to hashivault\+http failed: the role ID or the secret ID is not valid \(any more\) \(status 400\)\n$/,
    ),
  });
});

test("so does a URL with a mistake", async () => {
  expect(await runServer(provider().replace("secretID", "secretId"))).toEqual({
    code: 3,
    stderr:
      "The secret provider hashivault+http has the unknown parameter secretId; accepted: token, roleID, secretID, namespace.\n",
  });
});

test("so does a URL at the place of a command, and neither is it shown there", async () => {
  const place = await createWorkplace();
  const { code, stderr } = await place.countersign(provider());
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Unknown command hashivault\+http:/);
  expect(stderr).not.toContain(encodeURIComponent(ROLE.secretId));
  place.remove();
});

test("a signal ends the command at once while it waits for a provider that does not answer", async () => {
  const place = await createWorkplace();
  writeFileSync(place.config, configuration(Number(new URL(place.url).port)));
  const asked = Promise.withResolvers<void>();
  vault.before = () => {
    asked.resolve();
    return new Promise(() => undefined);
  };
  const child = place.start("-secretProvider", provider());
  const [ended, stderr] = [once(child, "exit"), text(child.stderr ?? Readable.from([]))];
  await asked.promise;
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(await stderr).toBe("");
  vault.before = undefined;
  place.remove();
});

/** Starts the command, which ends by itself; what it prints for a person, and its exit code. */
async function runServer(secretProvider: string): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const place = await createWorkplace();
  try {
    writeFileSync(place.config, configuration(Number(new URL(place.url).port)));
    const { code, stderr } = await place.countersign("-secretProvider", secretProvider);
    for (const id of Object.values(ROLE)) expect(stderr).not.toContain(id);
    const [entry, ...person] = stderr.split("\n");
    expect(entry).toContain(`"level":"error","msg":"the server cannot start"`);
    return { code, stderr: person.join("\n") };
  } finally {
    place.remove();
  }
}

/** Asks about a token as the resource server with that secret. */
async function introspects({ url }: RunningServer, secret: string): Promise<number> {
  const basic = Buffer.from(`resource-server:${encodeURIComponent(secret)}`).toString("base64");
  const response = await fetch(`${url}/oauth2/introspect`, {
    method: "POST",
    headers: { Authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token: "none" }),
  });
  await response.body?.cancel();
  return response.status;
}

/** Asks for the first owner, with the token as the request's ID as well, which the log has. */
async function setUp({ url }: RunningServer, token: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/setup`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Request-Id": encodeURIComponent(token) },
    body: JSON.stringify({ token, organization: "Acme", email: "owner@acme.example" }),
  });
  await response.body?.cancel();
  return response.status;
}

/** The revisions whose use the audit log has, the latest first. */
async function recorded(document: string): Promise<readonly (string | undefined)[]> {
  const configured = await configurationOf(document, { secrets: { S_INTROSPECTOR_SECRET: FORMER } });
  const { dependencies, close } = openNodeDependencies(configured, { write: () => undefined });
  try {
    const filter = { organizationId: undefined, type: "config.loaded" };
    const { items } = await dependencies.stores.auditLog.query(filter, { limit: 10 });
    return items.map(({ details }) => details?.revision);
  } finally {
    await close();
  }
}

function entries(lines: readonly string[], message: string): readonly unknown[] {
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}
