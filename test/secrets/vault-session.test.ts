import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openVault } from "../../lib/secrets/vault/open.ts";
import { failureOf } from "./servers/failure.ts";
import { type MovableClock, movableClock } from "./servers/movable-clock.ts";
import { type StandInVault, startVault, type VaultToken } from "./servers/vault.ts";
import { json } from "./servers/vendor-server.ts";

const TOKEN = "hvs.CAESIJ-own-token";
const ROLE = { roleId: "8f1b6c0e-role", secretId: "3d2a91f7-secret" };
const APP_ROLE = `roleID=${ROLE.roleId}&secretID=${ROLE.secretId}`;
const HOUR = 3_600_000;

let vault: StandInVault;
let clock: MovableClock;

beforeEach(async () => {
  clock = movableClock();
  vault = await startVault(clock);
  vault.entries.set("secret/data/app/db", { password: "hunter2", user: "u" });
});

afterEach(() => vault.close());

function open(parameters: string) {
  const sources = { fetch, openFetch: undefined, clock, environment: {} };
  return openVault(`hashivault+http://127.0.0.1:${vault.port}/secret/data/app?${parameters}`, sources);
}

const asked = (path: string) => vault.asked.filter((line) => line.endsWith(path)).length;
const logins = () => asked("/auth/approle/login");
const renewals = () => asked("/auth/token/renew-self");

describe("a token in the URL", () => {
  const issue = (properties: VaultToken) => vault.issue(TOKEN, properties);

  test("is renewed when half of its time is over, and lives on", async () => {
    issue({ ttl: 3_600, renewable: true });
    const secrets = open(`token=${TOKEN}`);
    await secrets.get("db.password");
    clock.advance(0.4 * HOUR);
    await secrets.get("db.password");
    expect(renewals()).toBe(0);
    clock.advance(0.2 * HOUR);
    for (let i = 1; i <= 5; i++) {
      expect(await secrets.get("db.password")).toBe("hunter2");
      clock.advance(0.6 * HOUR);
    }
    expect(renewals()).toBe(5);
  });

  test("is renewed at once when it is past half of its time already, as in the process before", async () => {
    issue({ ttl: 3_600, renewable: true });
    clock.advance(0.8 * HOUR);
    const secrets = open(`token=${TOKEN}`);
    await secrets.get("db.password");
    expect(renewals()).toBe(1);
    clock.advance(0.9 * HOUR);
    expect(await secrets.get("db.password")).toBe("hunter2");
  });

  test("that could not be looked up for a moment is looked up again, so that it is renewed in time", async () => {
    issue({ ttl: 3_600, renewable: true });
    vault.before = ({ path }) =>
      path.endsWith("-self") ? json(503, { errors: ["Vault is sealed"] }, { "Retry-After": "0" }) : undefined;
    const secrets = open(`token=${TOKEN}`);
    expect(await secrets.get("db.password")).toBe("hunter2");
    vault.before = undefined;
    clock.advance(0.6 * HOUR);
    const before = renewals();
    await secrets.get("db.password");
    expect(renewals()).toBe(before + 1);
  });

  test("that has no end is not renewed", async () => {
    issue({ ttl: 0, renewable: false });
    const secrets = open(`token=${TOKEN}`);
    await secrets.get("db.password");
    clock.advance(1_000 * HOUR);
    await secrets.get("db.password");
    expect(renewals()).toBe(0);
  });

  test("that may not be renewed any more is used to its end, and then the error says why", async () => {
    issue({ ttl: 3_600, renewable: true, renewals: 1 });
    const secrets = open(`token=${TOKEN}`);
    await secrets.get("db.password");
    clock.advance(0.6 * HOUR);
    await secrets.get("db.password");
    clock.advance(0.6 * HOUR);
    expect(await secrets.get("db.password")).toBe("hunter2");
    clock.advance(0.1 * HOUR);
    await secrets.get("db.password");
    expect(renewals()).toBe(2);
    clock.advance(HOUR);
    const reason = await failureOf(() => secrets.get("db.password"), [TOKEN]);
    expect(reason).toContain("the token is not valid (any more)");
  });

  test("is used although renewing it fails for a moment", async () => {
    issue({ ttl: 3_600, renewable: true });
    const secrets = open(`token=${TOKEN}`);
    await secrets.get("db.password");
    clock.advance(0.6 * HOUR);
    vault.before = ({ path }) =>
      path.endsWith("/renew-self") ? json(503, { errors: ["Vault is sealed"] }, { "Retry-After": "0" }) : undefined;
    expect(await secrets.get("db.password")).toBe("hunter2");
    vault.before = undefined;
    clock.advance(0.1 * HOUR);
    await secrets.get("db.password");
    clock.advance(0.9 * HOUR);
    expect(await secrets.get("db.password")).toBe("hunter2");
  });

  test("that may not look itself up is used as it is", async () => {
    issue({ ttl: 3_600, renewable: true });
    vault.before = ({ path }) =>
      path.endsWith("/lookup-self") ? json(403, { errors: ["permission denied"] }) : undefined;
    expect(await open(`token=${TOKEN}`).get("db.password")).toBe("hunter2");
  });
});

describe("AppRole", () => {
  beforeEach(() => vault.allow(ROLE, { ttl: 3_600, renewable: true, renewals: 1 }));

  test("signs in once for secrets that are wanted at the same time", async () => {
    const secrets = open(APP_ROLE);
    expect(await Promise.all(["db.user", "db.password"].map(secrets.get))).toEqual(["u", "hunter2"]);
    expect(logins()).toBe(1);
  });

  test("renews its token, and signs in again when it may not any more", async () => {
    const secrets = open(APP_ROLE);
    for (let i = 0; i < 3; i++) {
      await secrets.get("db.password");
      clock.advance(0.6 * HOUR);
    }
    expect({ logins: logins(), renewals: renewals() }).toEqual({ logins: 2, renewals: 2 });
    expect(await secrets.get("db.password")).toBe("hunter2");
  });

  test("signs in again when its token has ended meanwhile", async () => {
    const secrets = open(APP_ROLE);
    await secrets.get("db.password");
    clock.advance(2 * HOUR);
    expect(await secrets.get("db.password")).toBe("hunter2");
    expect({ logins: logins(), renewals: renewals() }).toEqual({ logins: 2, renewals: 0 });
  });

  test("signs in again, once, when its token was revoked", async () => {
    const secrets = open(APP_ROLE);
    await secrets.get("db.password");
    vault.revokeAll();
    expect(await Promise.all(["db.user", "db.password"].map(secrets.get))).toEqual(["u", "hunter2"]);
    expect(logins()).toBe(2);
  });

  test("does not sign in again because of an entry that it may not read", async () => {
    vault.allow({ ...ROLE, roleId: "narrow" }, { ttl: 3_600, renewable: true, reads: "secret/data/app" });
    const secrets = open(`roleID=narrow&secretID=${ROLE.secretId}`);
    await secrets.get("db.password");
    vault.before = ({ path }) => (path.includes("/app") ? json(403, { errors: ["permission denied"] }) : undefined);
    const reason = await failureOf(() => secrets.get("db.password"), [ROLE.secretId]);
    expect(reason).toContain("permission denied");
    expect(logins()).toBe(1);
  });

  test("an ID that is not valid is told, without the IDs", async () => {
    const secrets = open(`roleID=${ROLE.roleId}&secretID=wrong-secret-id`);
    expect(await failureOf(() => secrets.get("db.password"), [ROLE.roleId, "wrong-secret-id"])).toBe(
      "signing in to hashivault+http failed: the role ID or the secret ID is not valid (any more) (status 400)",
    );
  });

  test("signing in that failed is tried again by the next secret that is wanted", async () => {
    const secrets = open(APP_ROLE);
    vault.before = () => json(503, { errors: ["Vault is sealed"] }, { "Retry-After": "0" });
    expect(await failureOf(() => secrets.get("db.password"), Object.values(ROLE))).toBe(
      "signing in to hashivault+http failed: it is sealed (status 503)",
    );
    vault.before = undefined;
    expect(await secrets.get("db.password")).toBe("hunter2");
  });
});
