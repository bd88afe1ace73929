import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import type { ConnectRequest } from "../../lib/connections/connect-request.ts";
import type { ConnectionWant } from "../../lib/connections/person-connections.ts";
import type { ProviderTokens } from "../../lib/connections/provider.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { ALICE, OUTBOUND, type Setting, startSetting, WANT } from "./support/setting.ts";
import { json, startTokenServer, type TokenServer } from "./support/token-server.ts";

let provider: TokenServer;
let setting: Setting;
beforeEach(async () => {
  provider = await startTokenServer();
  setting = startSetting(provider);
});
afterEach(async () => {
  await setting.settled();
  setting.close();
  await provider.close();
});

const HOUR = 3_600_000;
const ASKED: ConnectRequest = {
  ...{ ...ALICE, agent: "agent_1", connector: "saas", perAgent: false, scopes: ["read"] },
};
const NOBODY = new AbortController().signal;

function revokingAt(revocationURL: string): OAuthConnectorConfiguration["endpoints"] {
  return { kind: "static", authorizationURL: provider.url, tokenURL: `${provider.url}/token`, revocationURL };
}

function pairOf(account: string | undefined, scopes = ["read"]): ProviderTokens {
  const of = { clientID: "countersign", tokenURL: `${provider.url}/token` };
  const pair = { ...provider.grant(), ...of, expiresAt: setting.clock.now() + HOUR, scopes };
  return account === undefined ? pair : { ...pair, account: { id: account } };
}

describe("connections of people", () => {
  it.each<[string, readonly string[], ConnectionWant, object]>([
    ["whose tool needs no more", ["read"], WANT, { outcome: "obtained" }],
    ["whose tool needs more", ["read"], { ...WANT, scopes: ["read", "write"] }, { why: "scopes", missing: ["write"] }],
    ["that allow a broader scope (GitHub)", ["repo"], { ...WANT, scopes: ["repo:status"] }, { outcome: "obtained" }],
    ["that allow a narrower scope", ["repo:status"], { ...WANT, scopes: ["repo"] }, { why: "scopes" }],
    ["with a scope that begins alike", ["re"], WANT, { why: "scopes", missing: ["read"] }],
    [
      "that were asked for offline access",
      ["read"],
      { ...WANT, scopes: ["read", "offline_access"] },
      { outcome: "obtained" },
    ],
    ["of another person", ["read"], { ...WANT, person: "user_bob" }, { why: "none" }],
    ["of another organization", ["read"], { ...WANT, organizationId: "org_2" }, { why: "none" }],
    ["of another app", ["read"], { ...WANT, app: "mail" }, { why: "none" }],
    [
      "made for every agent, where each needs its own",
      ["read"],
      { ...WANT, outbound: { ...OUTBOUND, perAgent: true } },
      { why: "none" },
    ],
    [
      "at another connector",
      ["read"],
      { ...WANT, outbound: { ...OUTBOUND, connector: "other" } },
      { outcome: "unavailable" },
    ],
  ])("answer calls %s", async (_, scopes, want, expected) => {
    const connections = setting.process();
    await connections.complete(ASKED, pairOf("1", [...scopes]), setting.request);
    expect(await connections.obtain(want, setting.request)).toMatchObject(expected);
  });

  it("serve one agent alone with perAgent, and no agent of another server that has its id", async () => {
    const connections = setting.process();
    const outbound = { ...OUTBOUND, perAgent: true };
    await connections.complete({ ...ASKED, perAgent: true }, pairOf("1"), setting.request);
    const outcomes = [{}, { agent: "agent_2" }, { agentIssuer: "https://other.example" }].map(async (change) => {
      const { outcome } = await connections.obtain({ ...WANT, outbound, ...change }, setting.request);
      return outcome;
    });
    expect(await Promise.all(outcomes)).toEqual(["obtained", "not_connected", "not_connected"]);
  });

  it("67. open for nobody when their row is moved to another person", async () => {
    const connections = setting.process();
    await connections.complete(ASKED, pairOf("1"), setting.request);
    const stolen = { ...((await setting.record()) as ConnectionRecord), person: "user_mallory" };
    const connection = async () => stolen;
    const stores = { connections: { ...setting.stores.connections, connection } };
    const want = { ...WANT, person: "user_mallory" };
    const outcome = await setting.process({ stores }).obtain(want, setting.request);
    expect(outcome).toMatchObject({ outcome: "not_connected", why: "reconnect" });
  });

  it("67. lie on the disk, in the log and in audit records without a token in clear", async () => {
    const connections = setting.process();
    const tokens = pairOf("1");
    await connections.complete(ASKED, tokens, setting.request);
    await connections.obtain(WANT, setting.request, tokens.accessToken);
    provider.behaviours.push((response) =>
      json(response, 400, { error: "invalid_grant", error_description: "rt-secret-2" }),
    );
    await connections.obtain(WANT, setting.request, "at-of-rt-secret-2");
    expect(provider.spent).toHaveLength(2);
    const kept = `${setting.disk()}${setting.logs.join("\n")}`;
    for (const secret of ["rt-secret-1", "rt-secret-2"]) expect(kept).not.toContain(secret);
    expect(await setting.auditTypes()).toEqual(["connection.completed", "connection.lost", "connection.refreshed"]);
  });

  it("serve no call of any process from the moment they are taken back, and are revoked", async () => {
    const [one, other] = [setting.process(), setting.process()];
    const tokens = pairOf("1");
    await one.complete(ASKED, tokens, setting.request);
    const obtained = await other.obtain(WANT, setting.request);
    const connectionId = obtained.outcome === "obtained" ? obtained.connectionId : "";
    expect(await one.disconnect({ ...ALICE, person: "user_bob" }, connectionId, "user_bob", setting.request)).toBe(
      false,
    );
    expect(await one.disconnect(ALICE, connectionId, ALICE.person, setting.request)).toBe(true);
    expect(await other.obtain(WANT, setting.request)).toMatchObject({ why: "none" });
    expect(await one.disconnect(ALICE, connectionId, ALICE.person, setting.request)).toBe(false);
    await setting.settled();
    expect(provider.revoked).toEqual([tokens.refreshToken, tokens.accessToken]);
    expect(await setting.record()).toBeUndefined();
    expect(await setting.auditTypes()).toEqual(["connection.completed", "connection.revoked", "connection.revoked"]);
  });

  it.each([
    ["with 200, as Keycloak does", 200],
    ["with 400, as Google does", 400],
  ])("are taken back where the provider says %s that it knows them no more", async (_, status) => {
    const connections = setting.process({ connector: { endpoints: revokingAt(`${provider.url}/token`) } });
    await connections.complete(ASKED, pairOf("1"), setting.request);
    const { connectionId } = (await setting.record()) as ConnectionRecord;
    const answer = (response: ServerResponse) => json(response, status, { error: "invalid_token" });
    provider.behaviours.push(answer, answer);
    await connections.disconnect(ALICE, connectionId, ALICE.person, setting.request);
    await setting.settled();
    expect(await setting.stores.connections.deleted(10, Number.MAX_SAFE_INTEGER)).toEqual([]);
    expect(await setting.auditTypes()).toEqual(["connection.completed", "connection.revoked", "connection.revoked"]);
  });

  it.each<[string, () => Partial<OAuthConnectorConfiguration>]>([
    ["the provider is away", () => ({ endpoints: revokingAt("http://127.0.0.1:1/revoke") })],
    ["the provider refuses", () => ({ endpoints: revokingAt(`${provider.url}/token`) })],
    ["nobody has configured the connector", () => ({ name: "renamed" })],
  ])("are revoked later where %s", async (_, connector) => {
    const connections = setting.process();
    await connections.complete(ASKED, pairOf("1"), setting.request);
    const away = setting.process({ connector: connector() });
    const { connectionId } = (await setting.record()) as ConnectionRecord;
    await away.disconnect(ALICE, connectionId, ALICE.person, setting.request);
    await setting.settled();
    expect(provider.revoked).toEqual([]);
    // Whoever took it back may still be telling.
    await connections.revoke();
    expect(provider.revoked).toEqual([]);
    setting.clock.pass(60_000);
    await Promise.all([connections.revoke(), setting.process().revoke()]);
    expect(provider.revoked).toHaveLength(2);
    expect(await setting.stores.connections.deleted(10, Number.MAX_SAFE_INTEGER)).toEqual([]);
  });

  it.each([
    ["of another account is revoked", "1", "2", 2],
    ["of the same account is not, as a provider may end the new one with it", "1", "1", 0],
    ["of nobody knows which account is not", undefined, "1", 0],
  ])("take the place of a former one: one %s", async (_, former, next, revoked) => {
    const connections = setting.process();
    const tokens = pairOf(former);
    await connections.complete(ASKED, tokens, setting.request);
    await connections.complete(ASKED, pairOf(next), setting.request);
    await setting.settled();
    await connections.revoke();
    expect(provider.revoked).toHaveLength(revoked);
    expect(await connections.obtain(WANT, setting.request)).toMatchObject({ outcome: "obtained" });
    expect((await setting.record())?.account).toEqual({ id: next });
  });

  it("keep tokens open in memory for 30 seconds, until something is stopped, and no longer", async () => {
    let opened = 0;
    const connection = async (...args: [typeof ALICE]) => {
      const record = await setting.stores.connections.connection(...args);
      // Reading the sealed key is what opening begins with.
      return (
        record && {
          ...record,
          sealed: {
            ...record.sealed,
            get wrappedKey() {
              opened++;
              return record.sealed.wrappedKey;
            },
          },
        }
      );
    };
    const connections = setting.process({ stores: { connections: { ...setting.stores.connections, connection } } });
    await connections.complete(ASKED, pairOf("1"), setting.request);
    const counts: number[] = [];
    const call = async () => {
      await connections.obtain(WANT, setting.request);
      counts.push(opened);
    };
    await call();
    await call();
    setting.clock.pass(31_000);
    await call();
    setting.stop([]);
    await call();
    connections.forget();
    await call();
    expect(counts).toEqual([1, 1, 2, 3, 4]);
  });

  it("are asked for by one link for one wish, and by three an hour for a person and app", async () => {
    const connections = setting.process();
    const ask = (scopes: readonly string[], of: Partial<ConnectionWant> = {}) =>
      connections.ask({ ...WANT, scopes, ...of }, setting.request);
    const first = await ask(["a"]);
    expect(first?.url).toMatch(/^https:\/\/us\.example\/connect\/[\w-]{22}$/);
    expect(first?.url).not.toContain("alice");
    expect(await ask(["a"])).toEqual(first);
    expect((await ask(["b"]))?.id).not.toBe(first?.id);
    expect(await ask(["c"])).toBeDefined();
    expect(await ask(["d"])).toBeUndefined();
    expect(await ask(["d"], { person: "user_bob" })).toBeDefined();
    setting.clock.pass(20 * 60_000);
    expect((await ask(["a"]))?.id).not.toBe(first?.id);
    expect(await setting.auditTypes()).toEqual(Array.from({ length: 5 }, () => "connection.requested"));
  });

  it("are asked for by a link that is open, where a person's agents had three already", async () => {
    const connections = setting.process();
    const ask = (sessionHash: string) => connections.ask(WANT, setting.request, { sessionHash, isElicited: false });
    const links = await Promise.all(["1", "2", "3"].map(ask));
    expect(new Set(links.map((link) => link?.id)).size).toBe(3);
    const fourth = await ask("4");
    expect(links.map((link) => link?.id)).toContain(fourth?.id);
    const perAgent = { ...WANT, agent: "agent_2", outbound: { ...OUTBOUND, perAgent: true } };
    expect((await connections.ask(perAgent, setting.request))?.id).not.toBe(fourth?.id);
  });

  it("are waited for, and found as soon as they are there", async () => {
    const connections = setting.process();
    const waiting = connections.connected(WANT, 60_000, NOBODY);
    await connections.complete(ASKED, pairOf("1"), setting.request);
    expect(await waiting).toBe(true);
    expect(await connections.connected(WANT, 0, NOBODY)).toBe(false);
    expect(await connections.connected({ ...WANT, person: "user_bob" }, 60_000, AbortSignal.abort())).toBe(false);
  });

  it("hold a pair for the person's decision, for that request alone", async () => {
    const connections = setting.process();
    const tokens = pairOf("2");
    const content = JSON.parse(JSON.stringify(await connections.hold(ASKED, tokens)));
    expect(JSON.stringify(content)).not.toContain(tokens.accessToken);
    expect(await connections.held(ASKED, content)).toEqual(tokens);
    expect(await connections.held({ ...ASKED, person: "user_bob" }, content)).toBeUndefined();
    await connections.discard(ASKED, tokens);
    expect(provider.revoked).toEqual([tokens.refreshToken, tokens.accessToken]);
  });
});
