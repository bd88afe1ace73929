import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDelinea } from "../../lib/secrets/delinea/open.ts";
import type { SecretSources } from "../../lib/secrets/provider.ts";
import { createAuthority } from "../support/certificates.ts";
import { type DelineaContent, type DelineaServer, startDelinea } from "./servers/delinea.ts";
import { failureOf } from "./servers/failure.ts";
import { loopbackFetch } from "./servers/loopback-fetch.ts";
import { movableClock } from "./servers/movable-clock.ts";
import { json, onceOn } from "./servers/vendor-server.ts";

const HOST = "vault.example.com";
const PASSWORD = "canary+pass word&1";
const VALUE = "canary-value";
const SERVER = `delinea://${HOST}/SecretServer?username=countersign&password=${encodeURIComponent(PASSWORD)}`;
const PEM = "-----BEGIN\nüñ\n-----END";

const authority = createAuthority();
const clock = movableClock();
let delinea: DelineaServer;
let sources: SecretSources;

beforeAll(async () => {
  const content: DelineaContent = {
    base: "/SecretServer",
    username: "countersign",
    password: PASSWORD,
    folders: { "\\Team\\App": 12, "\\Other": 13 },
    secrets: [
      { id: 1, name: "db.example.com", folderId: 12, fields: { username: "admin", password: VALUE, notes: "" } },
      { id: 2, name: "Mentions", folderId: 12, fields: { username: "db.example.com" } },
      { id: 3, name: "twice", folderId: 12, fields: { password: "of the app" } },
      { id: 4, name: "Twice", folderId: 13, fields: { password: "other" } },
      { id: 5, name: "key pair", folderId: 12, fields: {}, files: { "private-key": PEM } },
      { id: 6, name: "keys", folderId: 12, fields: {}, files: { "private-key": PEM } },
      { id: 7, name: "locked", folderId: 12, fields: { password: VALUE }, isDenied: true },
    ],
  };
  delinea = await startDelinea(content, authority.issue({ names: [HOST] }), clock);
  const fetch = loopbackFetch({ [HOST]: delinea.port }, authority.cert);
  sources = { fetch, openFetch: undefined, clock, environment: {} };
});

beforeEach(() => {
  delinea.before = undefined;
});

afterAll(() => delinea.close());

const signIns = () => delinea.asked.filter((line) => line.startsWith("POST ")).length;
const fails = (reference: string, url = SERVER, using = sources) =>
  failureOf(() => openDelinea(url, using).get(reference), [PASSWORD, VALUE, ...delinea.tokens]);

describe("reading", () => {
  test.each([
    ["db.example.com.password", VALUE],
    ["DB.EXAMPLE.COM.username", "admin"],
    ["keys.private-key", PEM],
  ])("<%s> is a field, or the text of a file, of the secret with this name", async (reference, value) => {
    expect(await openDelinea(SERVER, sources).get(reference)).toBe(value);
  });

  test.each(["Team/App", "\\Team\\App", "/Team/App/"])(
    "the folder %s narrows where the name is looked for",
    async (folder) => {
      const url = `${SERVER}&folder=${encodeURIComponent(folder)}`;
      expect(await openDelinea(url, sources).get("twice.password")).toBe("of the app");
    },
  );

  test("the fields of a secret that are asked for at the same time take one look at it", async () => {
    const provider = openDelinea(`${SERVER}&folder=Team%2FApp`, sources);
    const before = delinea.asked.length;
    await Promise.all([provider.get("db.example.com.password"), provider.get("db.example.com.username")]);
    expect(delinea.asked.slice(before).map((line) => line.split("?")[0])).toEqual([
      "POST /SecretServer/oauth2/token",
      "GET /SecretServer/api/v1/folders/0",
      "GET /SecretServer/api/v1/secrets",
      "GET /SecretServer/api/v1/secrets/1",
    ]);
  });

  test("many secrets take one token, until it is nearly at its end", async () => {
    const provider = openDelinea(SERVER, sources);
    const before = signIns();
    await Promise.all([provider.get("db.example.com.password"), provider.get("keys.private-key")]);
    clock.advance(17 * 60_000);
    await provider.get("db.example.com.password");
    expect(signIns() - before).toBe(1);
    clock.advance(2 * 60_000);
    await provider.get("db.example.com.password");
    expect(signIns() - before).toBe(2);
  });

  test("a token that the server ended early is replaced by another", async () => {
    const provider = openDelinea(SERVER, sources);
    await provider.get("db.example.com.password");
    delinea.endTokens();
    expect(await provider.get("db.example.com.password")).toBe(VALUE);
  });
});

describe("an answer without a secret", () => {
  test.each([
    ["none.password", "there is no secret none, or the user may not see it"],
    ["admin.password", "there is no secret admin, or the user may not see it"],
    ["twice.password", "there are 2 secrets twice; accepted: one"],
    ["db.example.com.pin", "the secret db.example.com has no field pin"],
    ["db.example.com.notes", "the secret db.example.com has nothing in its field notes"],
    ["locked.password", "the secret locked: the user may not see it: status 403 (API_AccessDenied)"],
    ["password", "no field is named; accepted: <secretName.fieldSlug>"],
    [".password", "no field is named; accepted: <secretName.fieldSlug>"],
  ])("<%s> is told with its reason", async (reference, reason) => {
    expect(await fails(reference)).toBe(`delinea has not given the secret <${reference}>: ${reason}`);
  });

  test("a folder that is not there, or does not hold the secret, is told", async () => {
    expect(await fails("twice.password", `${SERVER}&folder=None`)).toBe(
      "delinea has not given the secret <twice.password>: the folder of its URL: it is not there: status 404 (API_FolderNotFound)",
    );
    expect(await fails("keys.private-key", `${SERVER}&folder=Other`)).toBe(
      "delinea has not given the secret <keys.private-key>: there is no secret keys in the folder of its URL, or the user may not see it",
    );
  });

  test("a wrong user name or password is a failure to sign in", async () => {
    const reason =
      "signing in to delinea failed: the user name or the password is not valid, or the user may not use the API: status 400";
    expect(await fails("keys.x", SERVER.replace("password=", "password=x"))).toBe(reason);
    expect(await fails("keys.x", SERVER.replace("username=", "username=x"))).toBe(reason);
  });

  test("answers that are none of Secret Server's are told", async () => {
    const provider = openDelinea(SERVER, sources);
    onceOn(delinea, "/SecretServer/oauth2", new Response(`<html>${VALUE}`));
    expect(await failureOf(() => provider.get("keys.x"), [PASSWORD, VALUE])).toBe(
      "signing in to delinea failed: its answer has no access token",
    );
    onceOn(delinea, "/SecretServer/api", new Response(`<html>${VALUE}`));
    expect(await failureOf(() => provider.get("keys.x"), [PASSWORD, VALUE])).toBe(
      "delinea has not given the secret <keys.x>: the search: its answer is no JSON object",
    );
    onceOn(delinea, "/SecretServer/api", json(200, { records: [{ id: VALUE, name: "keys" }, VALUE, null] }));
    expect(await failureOf(() => provider.get("keys.x"), [PASSWORD, VALUE])).toBe(
      "delinea has not given the secret <keys.x>: there is no secret keys, or the user may not see it",
    );
    onceOn(delinea, "/SecretServer/api/v1/secrets/6/fields", json(500, { errorCode: "API_X" }, { "Retry-After": "0" }));
    expect(await provider.get("keys.private-key")).toBe(PEM);
    delinea.before = ({ path }) => (path.includes("/fields/") ? json(403, { message: VALUE }) : undefined);
    expect(await failureOf(() => provider.get("keys.private-key"), [PASSWORD, VALUE])).toBe(
      "delinea has not given the secret <keys.private-key>: the file: the user may not see it: status 403",
    );
  });

  test("a file that is no text is told, and not turned into another secret", async () => {
    delinea.before = ({ path }) => (path.includes("/fields/") ? new Response(Uint8Array.of(0x68, 0xff)) : undefined);
    expect(await fails("keys.private-key")).toBe(
      "delinea has not given the secret <keys.private-key>: the file in the field private-key of the secret keys is no text in UTF-8",
    );
  });

  test("a throttled request is sent again after a while, and at last told", async () => {
    const provider = openDelinea(SERVER, sources);
    onceOn(delinea, "/SecretServer/api", json(429, {}, { "Retry-After": "0" }));
    expect(await provider.get("db.example.com.password")).toBe(VALUE);
    delinea.before = () => json(429, {}, { "Retry-After": "0" });
    expect(await failureOf(() => provider.get("db.example.com.password"), [PASSWORD, VALUE])).toBe(
      "delinea has not given the secret <db.example.com.password>: the search: status 429",
    );
  });

  test("no answer in time is told with the time", async () => {
    delinea.before = () => new Promise<Response>(() => undefined);
    expect(await fails("keys.x", SERVER, { ...sources, timeout: 100 })).toBe(
      "signing in to delinea failed: no answer within 0.1 s",
    );
  });
});

describe("a URL that is not as documented", () => {
  const example = "delinea://tenant.secretservercloud.com?username=NAME&password=PASSWORD";
  test.each([
    ["delinea://h.example?password=canary-value", `needs the parameter username, for example ${example}.`],
    ["delinea://h.example?username=canary-value", `needs the parameter password, for example ${example}.`],
    [
      "delinea://h.example?username=u&password=p&folder=",
      `needs a value for the parameter folder, for example ${example}.`,
    ],
    [
      "delinea://h.example?username=u&password=p&Folder=x",
      "has the unknown parameter Folder; accepted: username, password, folder.",
    ],
    [
      "delinea://canary-value:p@h.example?username=u&password=p",
      `takes no user name or password before its host, for example ${example}.`,
    ],
  ])("%s is refused", async (url, what) => {
    expect(await fails("keys.x", url)).toBe(`The secret provider delinea ${what}`);
  });
});
