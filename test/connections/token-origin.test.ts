import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConnectionOutcome } from "../../lib/connections/person-connections.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { ALICE, type Setting, startSetting, WANT } from "./support/setting.ts";
import { startTokenServer, type TokenServer } from "./support/token-server.ts";

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

/** Of access tokens from now: milliseconds. */
const [ENDING, ENDED] = [30_000, -1];

function gotOf(outcome: ConnectionOutcome, old: string): string {
  if (outcome.outcome === "obtained") return outcome.token === old ? "old" : "new";
  return outcome.outcome === "unavailable" ? `unavailable: ${outcome.reason}` : outcome.why;
}

describe("68. tokens are for the provider that gave them, and for its upstream", () => {
  describe("where the operator writes down another token endpoint of the same connector", () => {
    const moved = (issuer?: string) => {
      const urls = { authorizationURL: `${provider.url}/authorize`, tokenURL: `${provider.url}/token?other` };
      return { endpoints: { kind: "static" as const, ...urls, ...(issuer !== undefined && { issuer }) } };
    };

    it.each([
      ["that has ended", ENDED, undefined],
      ["that is about to end", ENDING, undefined],
      ["that lives on", 3_600_000, undefined],
      ["that lives on, and an issuer", 3_600_000, "https://other.example"],
    ])(
      "sends neither token of a pair %s anywhere, and loses nothing if it was a mistake",
      async (_, livesFor, issuer) => {
        const { accessToken } = await setting.connect(livesFor);
        const other = setting.process({ connector: moved(issuer) });
        expect(gotOf(await other.obtain(WANT, setting.request), accessToken)).toBe("reconnect");
        expect(await other.connected(WANT, 1, AbortSignal.timeout(1_000))).toBe(false);
        expect(provider.spent).toEqual([]);
        expect(gotOf(await setting.process().obtain(WANT, setting.request), accessToken)).toMatch(/old|new/);
      },
    );

    it("revokes nothing there", async () => {
      await setting.connect(3_600_000);
      const { connectionId } = (await setting.record()) as ConnectionRecord;
      const { endpoints } = moved();
      const elsewhere = { endpoints: { ...endpoints, revocationURL: `${provider.url}/revoke` } };
      await setting.process({ connector: elsewhere }).disconnect(ALICE, connectionId, ALICE.person, setting.request);
      await setting.settled();
      expect(provider.revoked).toEqual([]);
    });
  });

  it.each([
    ["of a provider without an issuer", undefined, undefined, "reconnect"],
    ["of some issuer, where none is configured", "https://as.example", undefined, "old"],
    ["of the configured issuer", "https://as.example", "https://as.example/", "old"],
    ["of another issuer", "https://as.example", "https://other.example", "reconnect"],
  ])("serves calls at a discovered provider with tokens %s as here, and discovers nothing", async (...row) => {
    const [, given, configured, expected] = row;
    const of = { ...ALICE, agent: "agent_1", connector: "saas", perAgent: false, scopes: ["read"] };
    const origin = given === undefined ? { tokenURL: `${provider.url}/token` } : { issuer: given };
    const tokens = { ...provider.grant(), ...origin, scopes: ["read"], clientID: "countersign" };
    const issuer = configured === undefined ? {} : { issuer: configured };
    const endpoints = { kind: "discover" as const, resource: "http://127.0.0.1:1/mcp", ...issuer };
    const connections = setting.process({ connector: { endpoints } });
    await connections.complete(of, tokens, setting.request);
    expect(gotOf(await connections.obtain(WANT, setting.request), tokens.accessToken)).toBe(expected);
  });

  it("takes an issuer that is written down later, beside the same token endpoint, for the same provider", async () => {
    const { accessToken } = await setting.connect(ENDED);
    const urls = { authorizationURL: `${provider.url}/authorize`, tokenURL: `${provider.url}/token` };
    const endpoints = { kind: "static" as const, ...urls, issuer: "https://saas.example" };
    const outcome = await setting.process({ connector: { endpoints } }).obtain(WANT, setting.request);
    expect(gotOf(outcome, accessToken)).toBe("new");
  });

  it("sends a refresh token to nobody but the provider and client that it was given to", async () => {
    await setting.connect(ENDED);
    const connections = setting.process({ connector: { clientID: "somebody-else" } });
    expect(gotOf(await connections.obtain(WANT, setting.request), "")).toBe("reconnect");
    expect(provider.spent).toEqual([]);
  });
});
