import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openFetch } from "../../infra/node/net/open-fetch.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { openCyberarkCcp } from "../../lib/secrets/cyberark-ccp.ts";
import type { SecretSources } from "../../lib/secrets/provider.ts";
import { createAuthority } from "../support/certificates.ts";
import { startCcp } from "./servers/ccp.ts";
import { failureOf } from "./servers/failure.ts";
import { json, onceOn, type VendorServer } from "./servers/vendor-server.ts";

const PASSWORD = "canary-password-1";
const authority = createAuthority();
const folder = mkdtempSync(join(tmpdir(), "ccp-"));
const sources: SecretSources = { fetch: neverUsed, openFetch: openFetch({}), clock: systemClock, environment: {} };
const files = {
  cert: written("client.pem", authority.issue({ names: ["countersign"] })),
  other: written("other.pem", authority.issue({ names: ["other"] })),
  ca: written("ca.pem", { cert: authority.cert, key: "" }).cert,
};
const canaries = [PASSWORD, "PRIVATE KEY"];

let ccp: VendorServer;

beforeAll(async () => {
  ccp = await startCcp(
    {
      safe: "Countersign & Co",
      accounts: {
        "Root/db.example.com-admin": { Content: PASSWORD, UserName: "admin", Address: "db.example.com", Empty: "" },
        "Team/App/db": { Content: "of the team", UserName: "team" },
      },
      applications: { Countersign: "countersign" },
    },
    { ...authority.issue(), ca: authority.cert },
  );
});

beforeEach(() => {
  ccp.before = undefined;
});

afterAll(async () => {
  await ccp.close();
  rmSync(folder, { recursive: true });
});

const urlWith = (changes: Readonly<Record<string, string | undefined>> = {}) => {
  const parameters = {
    appID: "Countersign",
    safe: "Countersign & Co",
    certFile: files.cert.cert,
    keyFile: files.cert.key,
    caFile: files.ca,
    ...changes,
  };
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `cyberarkccp://127.0.0.1:${ccp.port}?${pairs.join("&")}`;
};
const get = async (reference: string, url = urlWith()) => openCyberarkCcp(url, sources).get(reference);
const fails = (reference: string, url = urlWith(), using = sources) =>
  failureOf(async () => openCyberarkCcp(url, using).get(reference), canaries);

describe("reading", () => {
  test.each([
    ["db.example.com-admin.Content", PASSWORD],
    ["db.example.com-admin.content", PASSWORD],
    ["db.example.com-admin.USERNAME", "admin"],
    ["db.example.com-admin.PolicyID", "UnixSSH"],
  ])("<%s> is a field of the account, in any case", async (reference, value) => {
    expect(await get(reference)).toBe(value);
  });

  test("an account's folder is that of the URL, and without a field its password is meant", async () => {
    expect(await get("db", urlWith({ folder: "Team/App" }))).toBe("of the team");
  });

  test("the fields of an account that are asked for at the same time take one request", async () => {
    const provider = openCyberarkCcp(urlWith(), sources);
    const before = ccp.asked.length;
    await Promise.all([provider.get("db.example.com-admin.UserName"), provider.get("db.example.com-admin.Address")]);
    expect(ccp.asked.slice(before)).toEqual([
      "GET /AIMWebService/api/Accounts?AppID=Countersign&Safe=Countersign%20%26%20Co&Object=db.example.com-admin",
    ]);
  });
});

describe("an answer without a secret", () => {
  const denied = "the application, this machine or the client certificate is not allowed";
  test.each([
    ["db.example.com-admin.Missing", {}, "the account db.example.com-admin has no field missing"],
    ["db.example.com-admin.Empty", {}, "the account db.example.com-admin has nothing in its field empty"],
    [
      "none.Content",
      {},
      "there is no such account in the safe, or the application may not see it: status 404 (APPAP004E)",
    ],
    [".Content", {}, "no account is named; accepted: <object.field>"],
    ["db.Content", { appID: "Unknown" }, `${denied}: status 403 (APPAP008E)`],
    ["db.Content", { certFile: files.other.cert, keyFile: files.other.key }, `${denied}: status 403 (APPAP133E)`],
  ])("<%s> with %o is told with its reason", async (reference, changes, reason) => {
    expect(await fails(reference, urlWith(changes))).toBe(
      `cyberarkccp has not given the secret <${reference}>: ${reason}`,
    );
  });

  test("a certificate that the server does not know ends the connection", async () => {
    const stranger = written("stranger.pem", createAuthority().issue({ names: ["countersign"] }));
    expect(await fails("db.Content", urlWith({ certFile: stranger.cert, keyFile: stranger.key }))).toMatch(
      /^cyberarkccp has not given the secret <db\.Content>: the connection failed/,
    );
  });

  test("a server that nobody vouches for ends the connection", async () => {
    expect(await fails("db.Content", urlWith({ caFile: undefined }))).toMatch(
      /^cyberarkccp has not given the secret <db\.Content>: the connection failed \([A-Z_]+\)$/,
    );
  });

  test("what is no account is told", async () => {
    ccp.before = () => new Response(`<html>${PASSWORD}`);
    expect(await fails("db.Content")).toBe(
      "cyberarkccp has not given the secret <db.Content>: its answer is no account",
    );
  });

  test("a passing failure is tried again, a lasting one told", async () => {
    onceOn(ccp, "/", json(503, {}, { "Retry-After": "0" }));
    expect(await get("db", urlWith({ folder: "Team/App" }))).toBe("of the team");
    ccp.before = () => json(500, { ErrorCode: "APPAP282E", ErrorMsg: PASSWORD }, { "Retry-After": "0" });
    expect(await fails("db.Content")).toBe("cyberarkccp has not given the secret <db.Content>: status 500 (APPAP282E)");
  });

  test("no answer in time is told with the time", async () => {
    ccp.before = () => new Promise<Response>(() => undefined);
    expect(await fails("db.Content", urlWith(), { ...sources, timeout: 100 })).toBe(
      "cyberarkccp has not given the secret <db.Content>: no answer within 0.1 s",
    );
  });
});

describe("a URL that cannot be used", () => {
  test.each(["appID", "safe", "certFile", "keyFile"])("without %s it is refused", async (name) => {
    expect(await fails("db", urlWith({ [name]: undefined }))).toMatch(
      new RegExp(`^The secret provider cyberarkccp needs the parameter ${name}, for example cyberarkccp://`),
    );
  });

  test("a path and unknown parameters are refused", async () => {
    expect(await fails("db", urlWith().replace("?", "/AIMWebService?"))).toMatch(
      /^The secret provider cyberarkccp takes no path behind its host, for example /,
    );
    expect(await fails("db", urlWith({ object: "db" }))).toBe(
      "The secret provider cyberarkccp has the unknown parameter object; accepted: appID, safe, certFile, keyFile, caFile, folder.",
    );
  });

  test("files that cannot be used are named with the reason", async () => {
    expect(await fails("db", urlWith({ certFile: join(folder, "none.pem") }))).toMatch(
      /^The secret provider cyberarkccp cannot use its client certificate: certFile/,
    );
    expect(await fails("db", urlWith({ keyFile: files.other.key }))).toMatch(
      /^The secret provider cyberarkccp cannot use its client certificate: /,
    );
  });

  test("a runtime without client certificates refuses it", async () => {
    expect(await fails("db", urlWith(), { ...sources, openFetch: undefined })).toBe(
      "The secret provider cyberarkccp needs a client certificate, which only Node can present.",
    );
  });
});

function written(name: string, { cert, key }: { readonly cert: string; readonly key: string }) {
  const paths = { cert: join(folder, name), key: join(folder, `key-of-${name}`) };
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key);
  return paths;
}

function neverUsed(): never {
  throw new Error("connections need the client certificate");
}
