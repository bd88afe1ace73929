import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SecretSources } from "../../lib/secrets/provider.ts";
import { openVault } from "../../lib/secrets/vault/open.ts";
import { createAuthority } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { failureOf } from "./servers/failure.ts";
import { loopbackFetch } from "./servers/loopback-fetch.ts";
import { type MovableClock, movableClock } from "./servers/movable-clock.ts";
import { type StandInVault, startVault } from "./servers/vault.ts";
import { json } from "./servers/vendor-server.ts";

const TOKEN = "hvs.CAESIJ-root-token";
const APP = "secret/data/app";

let vault: StandInVault;
let clock: MovableClock;

beforeEach(async () => {
  clock = movableClock();
  vault = await startVault(clock);
  vault.issue(TOKEN, { ttl: 0, renewable: false });
});

afterEach(() => vault.close());

function open(path = APP, parameters = `token=${TOKEN}`, more: Partial<SecretSources> = {}) {
  const sources = { fetch, openFetch: undefined, clock, environment: {}, ...more };
  return openVault(`hashivault+http://127.0.0.1:${vault.port}/${path}?${parameters}`, sources);
}

const refused = (reference: string, secrets = open()) => failureOf(() => secrets.get(reference), [TOKEN]);

describe("a secret in Vault", () => {
  test("<ns.key> is the field of the entry below the path, in KV version 2", async () => {
    vault.entries.set(`${APP}/db`, { password: "hunter2", port: 5432 });
    expect(await open().get("db.password")).toBe("hunter2");
    expect(await open().get("db.port")).toBe("5432");
  });

  test("and in KV version 1", async () => {
    vault.entries.set("kv/app/db", { password: "hunter2" });
    expect(await open("kv/app").get("db.password")).toBe("hunter2");
  });

  test("an entry of KV version 1 may have a field called data", async () => {
    vault.entries.set("kv/app/db", { data: "hunter2" });
    expect(await open("kv/app").get("db.data")).toBe("hunter2");
  });

  test("or it is the field ns.key of the entry at the path itself", async () => {
    vault.entries.set(APP, { "db.password": "hunter2", plain: "text" });
    expect(await open().get("db.password")).toBe("hunter2");
    expect(await open().get("plain")).toBe("text");
  });

  test("of both, the entry below the path wins", async () => {
    vault.entries.set(APP, { "db.password": "flat" }).set(`${APP}/db`, { password: "below" });
    expect(await open().get("db.password")).toBe("below");
  });

  test("an entry may lie deeper, and a field may have dots", async () => {
    vault.entries.set(`${APP}/team/tls`, { "server.key": "hunter2" });
    expect(await open().get("team/tls.server.key")).toBe("hunter2");
  });

  test("a token that may read the path itself only, finds the field there", async () => {
    vault.issue("narrow", { ttl: 0, renewable: false, reads: `${APP}-flat` });
    vault.entries.set(`${APP}-flat`, { "db.password": "hunter2" });
    expect(await open(`${APP}-flat`, "token=narrow").get("db.password")).toBe("hunter2");
  });

  test("fields of one entry that are wanted at the same time are read once", async () => {
    vault.entries.set(`${APP}/db`, { user: "u", password: "p" });
    const secrets = open();
    expect(await Promise.all(["db.user", "db.password"].map(secrets.get))).toEqual(["u", "p"]);
    expect(vault.asked.filter((line) => line.endsWith("/app/db"))).toHaveLength(1);
  });

  test("is asked for in the namespace of the URL", async () => {
    const namespaces: (string | null)[] = [];
    vault.before = ({ headers }) => {
      namespaces.push(headers.get("X-Vault-Namespace"));
      return undefined;
    };
    vault.entries.set(`${APP}/db`, { password: "hunter2" });
    await open(APP, `token=${TOKEN}&namespace=team%2Fone`).get("db.password");
    await open().get("db.password");
    expect(new Set(namespaces)).toEqual(new Set(["team/one", null]));
  });

  test("a standby node's redirect to the active one is followed", async () => {
    const active = await startVault(clock);
    active.issue(TOKEN, { ttl: 0, renewable: false });
    active.entries.set(`${APP}/db`, { password: "hunter2" });
    vault.before = ({ path }) => redirectTo(`http://127.0.0.1:${active.port}${path}`);
    expect(await open().get("db.password")).toBe("hunter2");
    await active.close();
  });

  test.each(["/login", "/v1/secret/data/other", "/v1/%zz"])("a redirect to %s gets no token", async (path) => {
    const other = await startVault(clock);
    vault.before = ({ path: asked }) =>
      asked.includes("/app") ? redirectTo(`http://127.0.0.1:${other.port}${path}`) : undefined;
    expect(await refused("db.password")).toContain(
      "it redirects to another node a second time, without TLS or to another",
    );
    expect(other.asked).toEqual([]);
    await other.close();
  });
});

describe("what Vault refuses", () => {
  test("an entry that is not there is told with both places that were looked at", async () => {
    vault.entries.set(APP, { other: "x" });
    expect(await refused("db.password")).toBe(
      "hashivault+http has not given the secret <db.password>: the entry secret/data/app/db is not there; the entry secret/data/app has no field db.password",
    );
  });

  test.each([
    ["a field that is not there", { user: "x" }, "has no field password"],
    ["an empty field", { password: "" }, "has nothing in its field password"],
    ["a field that is no text", { password: { a: 1 } }, "has neither text, number nor boolean in its field password"],
    ["a number that parsing changed", { password: 2 ** 60 }, "has neither text, number nor boolean"],
    ["a deleted entry", null, "is deleted"],
  ])("%s", async (_, entry, reason) => {
    vault.entries.set(`${APP}/db`, entry);
    expect(await refused("db.password")).toContain(`the entry secret/data/app/db ${reason}`);
  });

  test.each([
    ["a token that is not known", APP, "token=wrong", "the token is not valid (any more) (status 403)"],
    [
      "a path that the token may not read",
      APP,
      "token=narrow",
      "permission denied: the token is not valid (any more), or none of its policies allows it (status 403)",
    ],
    ["a mount that is not there", "nowhere/app", `token=${TOKEN}`, "nothing is mounted at this path (status 404)"],
    [
      "KV version 2 without data in the path",
      "secret/app",
      `token=${TOKEN}`,
      "KV version 2 needs /data/ behind the mount in the URL's path (status 404)",
    ],
  ])("%s", async (_, path, parameters, reason) => {
    vault.issue("narrow", { ttl: 0, renewable: false, reads: "elsewhere" });
    expect(await refused("db.password", open(path, parameters))).toContain(`cannot be read: ${reason}`);
  });

  test.each([
    ["it is sealed", 503, { errors: ["Vault is sealed"] }, "it is sealed (status 503)"],
    ["it is not initialized", 503, { errors: ["server is not initialized"] }, "it is not initialized (status 503)"],
    [
      "it is a standby node without an active one",
      500,
      { errors: ["local node not active but active cluster node not found"] },
      "it is a standby node and knows no active one (status 500)",
    ],
    [
      "its rate limit is exceeded",
      429,
      { errors: ['request path "x": rate limit quota exceeded'] },
      "its rate limit is exceeded (status 429)",
    ],
    ["something unknown", 500, { errors: [`oops ${TOKEN}`] }, "status 500"],
  ])("when %s, after two more attempts", async (_, status, body, reason) => {
    vault.before = ({ path }) => (path.includes("/app") ? json(status, body, { "Retry-After": "0" }) : undefined);
    expect(await refused("db.password")).toBe(`hashivault+http has not given the secret <db.password>: ${reason}`);
    expect(vault.asked.filter((line) => line.includes("/app/db"))).toHaveLength(3);
  });

  test.each([
    ["no JSON", new Response("<html>login</html>"), "its answer is none of a KV store"],
    ["JSON of another form", json(200, { data: "x" }), "its answer is none of a KV store"],
    ["none of Vault's", new Response("no", { status: 405 }), "status 405, and no answer of Vault's"],
  ])("an answer that is %s", async (_, response, reason) => {
    vault.before = ({ path }) => (path.includes("/app") ? response.clone() : undefined);
    expect(await refused("db.password")).toContain(`: ${reason}`);
  });

  test("a redirect to a node that does not answer", async () => {
    const port = await freePort();
    vault.before = ({ path }) => (path.includes("/app") ? redirectTo(`http://127.0.0.1:${port}${path}`) : undefined);
    expect(await refused("db.password")).toContain(": the connection failed (ECONNREFUSED)");
  });

  test("redirects in a circle end", async () => {
    vault.before = ({ path }) => (path.includes("/app") ? redirectTo(path) : undefined);
    expect(await refused("db.password")).toContain("it redirects to another node");
  });

  test("no answer in time is told at once, also of signing in", async () => {
    vault.before = ({ path }) => (path.includes("/app") ? new Promise(() => undefined) : undefined);
    expect(await refused("db.password", open(APP, `token=${TOKEN}`, { timeout: 2_000 }))).toBe(
      "hashivault+http has not given the secret <db.password>: no answer within 2 s",
    );
    vault.before = () => new Promise(() => undefined);
    expect(await refused("db.password", open(APP, "roleID=r&secretID=s", { timeout: 2_000 }))).toBe(
      "signing in to hashivault+http failed: no answer within 2 s",
    );
  });

  test("each of several secrets that wait for one answer is named in its own error", async () => {
    vault.before = ({ path }) => (path.includes("/app") ? new Promise(() => undefined) : undefined);
    const secrets = open(APP, `token=${TOKEN}`, { timeout: 2_000 });
    const reasons = await Promise.all(["db.user", "db.password"].map((reference) => refused(reference, secrets)));
    expect(reasons.map((reason) => /<(.*?)>/.exec(reason)?.[1])).toEqual(["db.user", "db.password"]);
  });
});

describe("Vault over TLS", () => {
  const authority = createAuthority();

  test("is what hashivault:// means, and its certificate is verified", async () => {
    const secure = await startVault(clock, authority.issue({ names: ["vault.example"] }));
    secure.issue(TOKEN, { ttl: 0, renewable: false });
    secure.entries.set(`${APP}/db`, { password: "hunter2" });
    const opened = (host: string, trusting: typeof fetch) =>
      openVault(`hashivault://${host}/${APP}?token=${TOKEN}`, {
        fetch: trusting,
        openFetch: undefined,
        clock,
        environment: {},
      });
    const trusting = loopbackFetch({ "vault.example": secure.port }, authority.cert);
    expect(await opened("vault.example:8200", trusting).get("db.password")).toBe("hunter2");
    expect(await refused("db.password", opened(`127.0.0.1:${secure.port}`, fetch))).toMatch(
      /^signing in to hashivault failed: the connection failed \([A-Z_]+\)$/,
    );
    expect(secure.asked).toHaveLength(2);
    await secure.close();
  });

  test("is not what a server of plain HTTP speaks, and the token does not get there", async () => {
    const sources = { fetch, openFetch: undefined, clock, environment: {} };
    const secrets = openVault(`hashivault://127.0.0.1:${vault.port}/${APP}?token=${TOKEN}`, sources);
    expect(await refused("db.password", secrets)).toMatch(/: the connection failed \([A-Z_]+\)$/);
    expect(vault.asked).toEqual([]);
  });
});

function redirectTo(location: string): Response {
  return new Response(null, { status: 307, headers: { Location: location } });
}
