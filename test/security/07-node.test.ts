import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { importPKCS8 } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { loadConfiguration } from "../../infra/node/load-configuration.ts";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { openEmbeddedStore } from "../../infra/node/sqlite/embedded-store.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import {
  type Answer,
  answerOf,
  assertionParameters,
  type Key,
  type Parameters,
  postForm,
  requestToken,
  type Signer,
  signAssertion,
} from "../behaviour/fixture.ts";
import { createWorkplace, type Workplace } from "../cli/countersign.ts";
import { auditEvent } from "../contract/records.ts";
import { refusal } from "./context.ts";

const SCOPES = ["audit:read", "tools:read"];
/** Enough for every lane of a client to be asked. */
const REQUESTS = 32;
/** What one address may cause at once, and how often: reads past the cache, and as many to see whether a revoked key signed. */
const BUDGET = { capacity: 2 * 10, perSecond: 2 * 1 };

/** The server runs here, so that its reads can be counted; whoever changes a client is another process. */
describe("the server on Node, whose cache knows a client that another process changes", () => {
  let at: Workplace;
  let server: RunningServer;
  let keys: number;

  beforeEach(async () => {
    at = await createWorkplace();
    keys = 0;
    server = await startServer({
      artifact: await loadConfiguration(at.config),
      environment: {},
      secrets: { get: (name) => Promise.reject(new Error(`There is no ${name}.`)) },
      verbose: false,
      write: () => undefined,
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await server.stop();
    at.remove();
  });

  /** Runs `countersign client …` and gives what it prints. */
  const client = async (action: string, ...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await at.countersign("client", action, ...args);
    if (code !== 0) throw new Error(`client ${action} ended with ${code}: ${stderr}`);
    return stdout;
  };
  /** Runs a command that writes a private key. */
  const withKey = async (action: string, ...args: readonly string[]): Promise<Signer> => {
    const keyOut = join(at.folder, `key-${keys++}.pem`);
    const printed = JSON.parse(await client(action, ...args, "-keyOut", keyOut)) as Key & { clientId?: string };
    const pem = readFileSync(keyOut, "utf8");
    const { keyPairId, fingerprint, clientId = args[args.indexOf("-client") + 1] as string } = printed;
    return { clientId, key: { keyPairId, fingerprint, pem, privateKey: await importPKCS8(pem, "ES256") } };
  };
  const created = () => withKey("create", "-name", "CI", "-scopes", SCOPES.join(","));
  const tokenFor = (signer: Signer, parameters: Parameters = {}): Promise<Answer> =>
    answerOf(requestToken(server, signer, { parameters }));
  /** A client that the server has in its cache. */
  const cachedSigner = async (): Promise<Signer> => {
    const signer = await created();
    expect((await tokenFor(signer)).status).toBe(200);
    const reads = countReads();
    expect((await tokenFor(signer)).status).toBe(200);
    expect(reads()).toBe(0);
    return signer;
  };
  const introspected = async (signer: Signer): Promise<Answer> => {
    const form = { token: "unknown", ...assertionParameters(await signAssertion(signer, server)) };
    return answerOf(postForm(`${server.url}/oauth2/introspect`, form));
  };
  const expectRefused = async (signer: Signer, description: string): Promise<void> => {
    for (const ask of [tokenFor, introspected]) {
      expect(await ask(signer)).toMatchObject(refusal(description));
      const others = await Promise.all(Array.from({ length: REQUESTS }, () => ask(signer)));
      for (const answer of others) expect(answer).toMatchObject(refusal(description));
    }
  };

  test("8. a key that a command revoked is refused on the very next request", async () => {
    const signer = await cachedSigner();
    await client("revoke-key", "-client", signer.clientId, "-keyPair", signer.key.keyPairId);
    await expectRefused(signer, "invalid JWT signature");
  });

  test("8. a client that a command deleted is refused on the very next request", async () => {
    const signer = await cachedSigner();
    await client("delete", "-client", signer.clientId);
    await expectRefused(signer, "invalid client");
  });

  test("8. a key that a command added works on the very next request, and the others go on working", async () => {
    const signer = await cachedSigner();
    const added = await withKey("add-key", "-client", signer.clientId);
    for (const one of [added, signer]) expect((await tokenFor(one)).status).toBe(200);
  });

  test("8. a scope that another process took away is in no token of the next request", async () => {
    const signer = await cachedSigner();
    expect((await tokenFor(signer)).body).toMatchObject({ scope: SCOPES.join(" ") });
    await changeScopes(at, signer, ["tools:read"]);
    expect((await tokenFor(signer)).body).toMatchObject({ scope: "tools:read" });
    const others = await Promise.all(Array.from({ length: REQUESTS }, () => tokenFor(signer)));
    for (const { body } of others) expect(body).toMatchObject({ scope: "tools:read" });
    expect((await tokenFor(signer, { scope: "audit:read" })).body).toMatchObject({ error: "invalid_scope" });
  });

  test("7. forged signatures and unknown kids cause a bounded number of reads of the client they name", async () => {
    const signer = await cachedSigner();
    const forger: Signer = { ...signer, key: (await created()).key };
    const reads = countReads();
    const start = Date.now();
    for (let attempt = 0; attempt < 100; attempt++) {
      const header = attempt % 2 === 0 ? {} : { kid: `unknown-${attempt}` };
      const answer = await answerOf(requestToken(server, forger, { header }));
      expect(answer).toMatchObject(refusal("invalid JWT signature"));
    }
    const earned = Math.ceil(((Date.now() - start) / 1000) * BUDGET.perSecond);
    expect(reads()).toBeGreaterThan(0);
    expect(reads()).toBeLessThanOrEqual(BUDGET.capacity + earned);
    expect((await tokenFor(signer)).status).toBe(200);
  });

  test("7. invented client ids cause no read at all", async () => {
    const signer = await cachedSigner();
    const reads = countReads();
    for (const clientId of [`client_${crypto.randomUUID()}`, "client_x", ""]) {
      expect(await tokenFor({ ...signer, clientId })).toMatchObject(refusal("invalid client"));
    }
    expect(reads()).toBe(0);
  });
});

/** How often client records were read in this process from now on. The commands have their own, and so has the thread that writes. */
function countReads(): () => number {
  vi.restoreAllMocks();
  const all = vi.spyOn(StatementSync.prototype, "all");
  const isRead = (statement: StatementSync) => /FROM api_clients\b/.test(statement.sourceSQL);
  return () => (all.mock.contexts as readonly StatementSync[]).filter(isRead).length;
}

/** By a connection of its own, as another process has it: there is no command for it. */
async function changeScopes(at: Workplace, { clientId }: Signer, scopes: readonly string[]): Promise<void> {
  const { stores, close } = openEmbeddedStore(at.store, systemClock);
  const { record } = await stores.apiClients.getForVerification(clientId);
  if (record === undefined) throw new Error("the client is in the store");
  const { organizationId } = record;
  const event = auditEvent({ organizationId });
  const change = await stores.apiClients.update({ organizationId, clientId }, { scopes }, Date.now(), event);
  expect(change.outcome).toBe("done");
  await close();
}
