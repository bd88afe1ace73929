import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openGcpSecretManager } from "../../lib/secrets/gcp/open.ts";
import type { SecretSources } from "../../lib/secrets/provider.ts";
import { createAuthority } from "../support/certificates.ts";
import { failureOf } from "./servers/failure.ts";
import { type Gcp, type GcpContent, startGcp } from "./servers/gcp.ts";
import { loopbackFetch } from "./servers/loopback-fetch.ts";
import { movableClock } from "./servers/movable-clock.ts";
import { json, onceOn } from "./servers/vendor-server.ts";

const VALUE = "canary-value";
const EMAIL = "countersign@my-project.iam.gserviceaccount.com";
const HOSTS = ["secretmanager.googleapis.com", "oauth2.googleapis.com"];
const authority = createAuthority();
const clock = movableClock();
const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const KEY_CANARY = privateKey.split("\n")[5] ?? "";
const CONTENT: GcpContent = {
  project: "my-project",
  accounts: { [EMAIL]: publicKey },
  hasIdentity: true,
  secrets: {
    plain: { data: VALUE },
    // The check value by which implementations of CRC-32C are compared.
    checked: { data: "123456789", crc32c: String(0xe3069283) },
    damaged: { data: VALUE, crc32c: "1" },
    database: { data: JSON.stringify({ password: VALUE, port: 5432 }) },
    text: { data: "üñ\n" },
    binary: { data: new Uint8Array([0xff, 0xfe, 0x00]) },
    empty: { data: "" },
    disabled: { data: VALUE, state: "DISABLED" },
    denied: { data: VALUE, isDenied: true },
  },
};

let gcp: Gcp;
let sources: SecretSources;

beforeAll(async () => {
  gcp = await startGcp(CONTENT, authority.issue({ names: HOSTS }), clock);
  sources = { fetch: loopbackFetch(gcp.hosts, authority.cert), openFetch: undefined, clock, environment: {} };
});

beforeEach(() => {
  for (const server of [gcp.secretManager, gcp.oauth, gcp.metadata]) server.before = undefined;
});

afterAll(() => gcp.close());

const key = (changes: object = {}) =>
  JSON.stringify({
    type: "service_account",
    project_id: "my-project",
    private_key_id: "0123456789abcdef",
    private_key: privateKey,
    client_email: EMAIL,
    token_uri: "https://oauth2.googleapis.com/token",
    ...changes,
  });
const withKey = (text: string): SecretSources => ({ ...sources, environment: { GOOGLE_SERVICE_ACCOUNT_JSON: text } });
const open = (using = sources, url = "gcpsecretmanager://my-project") => openGcpSecretManager(url, using);
const fails = (reference: string, using = sources, url?: string) =>
  failureOf(async () => (await open(using, url)).get(reference), [VALUE, KEY_CANARY, ...gcp.tokens]);

describe("reading", () => {
  test.each([
    ["plain", VALUE],
    ["checked", "123456789"],
    ["text", "üñ\n"],
    ["database.password", VALUE],
    ["database.port", "5432"],
  ])("<%s> is the latest version of a secret, or a field of the JSON object in it", async (reference, value) => {
    expect(await (await open()).get(reference)).toBe(value);
  });

  test("many secrets take one token, until it is nearly at its end, and one request for each", async () => {
    const provider = await open();
    const [tokens, asked] = [gcp.tokens.length, gcp.secretManager.asked.length];
    await Promise.all([provider.get("plain"), provider.get("database.password"), provider.get("database.port")]);
    expect(gcp.secretManager.asked.slice(asked).sort()).toEqual([
      "GET /v1/projects/my-project/secrets/database/versions/latest:access",
      "GET /v1/projects/my-project/secrets/plain/versions/latest:access",
    ]);
    clock.advance(50 * 60_000);
    await provider.get("plain");
    expect(gcp.tokens.length - tokens).toBe(1);
    clock.advance(5 * 60_000);
    await provider.get("plain");
    expect(gcp.tokens.length - tokens).toBe(2);
  });

  test("a token that was ended early is replaced by another", async () => {
    const provider = await open();
    await provider.get("plain");
    gcp.endTokens();
    expect(await provider.get("plain")).toBe(VALUE);
  });
});

describe("signing in", () => {
  test("without a key it is the machine's own service account", async () => {
    const before = gcp.metadata.asked.length;
    await (await open()).get("plain");
    expect(gcp.metadata.asked.slice(before)).toEqual([
      "GET /computeMetadata/v1/instance/service-accounts/default/token",
    ]);
  });

  test("with a key in the variable or in the named file, an assertion of the service account is exchanged", async () => {
    const before = gcp.metadata.asked.length;
    expect(await (await open(withKey(key()))).get("plain")).toBe(VALUE);
    const environment = { GOOGLE_APPLICATION_CREDENTIALS: "/keys/service.json" };
    const readFile = async (path: string) => (path === "/keys/service.json" ? key({ token_uri: undefined }) : "");
    expect(await (await open({ ...sources, environment, readFile })).get("plain")).toBe(VALUE);
    expect(gcp.metadata.asked.slice(before)).toEqual([]);
  });

  test("a key of somebody else, or of an unknown account, is told", async () => {
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const private_key = other.export({ type: "pkcs8", format: "pem" }).toString();
    const reason =
      "signing in to gcpsecretmanager failed: the service account or its key is not valid (any more), or the clock is wrong: status 400 (invalid_grant)";
    expect(await fails("plain", withKey(key({ private_key })))).toBe(reason);
    expect(await fails("plain", withKey(key({ client_email: "other@example.com" })))).toBe(reason);
  });

  const accepted = "; accepted: the JSON key of a service account.";
  test.each([
    ["{canary-value", "is no JSON object"],
    ["[]", "is no JSON object"],
    [key({ type: "authorized_user" }), 'has no type "service_account"'],
    [key({ client_email: 5 }), "has no client_email"],
    [key({ private_key: "canary-value" }), "has no private_key in PEM (PKCS#8)"],
    [key({ token_uri: "http://oauth2.googleapis.com/token" }), "has no token_uri with https"],
  ])("a key that cannot be one is refused before anything is asked: case %#", async (text, what) => {
    expect(await fails("plain", withKey(text))).toBe(`The variable GOOGLE_SERVICE_ACCOUNT_JSON ${what}${accepted}`);
  });

  test("a private key that is none of RSA is refused", async () => {
    const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    for (const text of [curve.export({ type: "pkcs8", format: "pem" }).toString(), privateKey.slice(0, 200)]) {
      expect(await fails("plain", withKey(key({ private_key: text })))).toBe(
        `The private key of the service account ${EMAIL} cannot be used; accepted: RSA in PKCS#8.`,
      );
    }
  });

  test("a file that cannot be read, or is none of a key, is told by the variable that names it", async () => {
    const environment = { GOOGLE_APPLICATION_CREDENTIALS: "/keys/none.json" };
    const unreadable = () => Promise.reject(new Error("there is no such file"));
    expect(await fails("plain", { ...sources, environment, readFile: unreadable })).toBe(
      "The file that GOOGLE_APPLICATION_CREDENTIALS names cannot be read: there is no such file.",
    );
    expect(await fails("plain", { ...sources, environment, readFile: async () => "x" })).toBe(
      `The file that GOOGLE_APPLICATION_CREDENTIALS names is no JSON object${accepted}`,
    );
    expect(await fails("plain", { ...sources, environment })).toBe(
      "GOOGLE_APPLICATION_CREDENTIALS needs files, which are not here; accepted: GOOGLE_SERVICE_ACCOUNT_JSON.",
    );
  });

  test("outside of Google Cloud, the error says why there was a metadata server asked", async () => {
    const hint =
      "; the machine's own service account was asked for, as neither GOOGLE_SERVICE_ACCOUNT_JSON nor GOOGLE_APPLICATION_CREDENTIALS is set";
    expect(await fails("plain", { ...sources, fetch: loopbackFetch({}, authority.cert) })).toBe(
      `signing in to gcpsecretmanager failed: the connection failed${hint}`,
    );
    gcp.metadata.before = () => new Response(null, { status: 404 });
    expect(await fails("plain")).toBe(`signing in to gcpsecretmanager failed: it runs as none: status 404${hint}`);
  });

  test("what is no token is none", async () => {
    gcp.metadata.before = () => json(200, { access_token: `${VALUE}\n`, expires_in: 60 });
    expect(await fails("plain")).toMatch(/^signing in to gcpsecretmanager failed: its answer has no access token; /);
  });
});

describe("an answer without a secret", () => {
  test.each([
    ["missing", "there is no such secret in the project, or it has no version: status 404 (NOT_FOUND)"],
    ["disabled", "its latest version is disabled or destroyed: status 400 (FAILED_PRECONDITION)"],
    ["denied", "the service account may not access it, or the API is not enabled: status 403 (PERMISSION_DENIED)"],
    ["damaged", "its answer was damaged on the way: the checksum differs"],
    ["binary", "it is no text in UTF-8"],
    ["empty", "the secret empty is empty"],
    ["plain.key", "the secret plain is no JSON object with a field key"],
    ["database.user", "the secret database has no field user"],
    ["a/b", "a secret's name has letters, digits, _ and - only"],
  ])("<%s> is told with its reason", async (reference, reason) => {
    expect(await fails(reference)).toBe(`gcpsecretmanager has not given the secret <${reference}>: ${reason}`);
  });

  test.each([
    ["no JSON", new Response("<html>canary-value")],
    ["without payload", json(200, { name: "projects/x" })],
    ["not in base64", json(200, { payload: { data: "canary-value" } })],
    ["no text", json(200, { payload: { data: 5 } })],
  ])("an answer that is %s is told", async (_, response) => {
    onceOn(gcp.secretManager, "/v1/", response);
    expect(await fails("plain")).toBe("gcpsecretmanager has not given the secret <plain>: its answer has no payload");
  });

  test("a token that is not accepted is replaced once, and then told", async () => {
    const provider = await open();
    await provider.get("plain");
    gcp.secretManager.before = () => json(401, { error: { status: "UNAUTHENTICATED", message: VALUE } });
    const before = gcp.secretManager.asked.length;
    expect(await failureOf(() => provider.get("plain"), [VALUE, ...gcp.tokens])).toBe(
      "gcpsecretmanager has not given the secret <plain>: the token is not accepted: status 401 (UNAUTHENTICATED)",
    );
    expect(gcp.secretManager.asked.slice(before)).toHaveLength(2);
  });

  test("a throttled request is sent again after a while, and at last told", async () => {
    onceOn(gcp.secretManager, "/", json(429, {}, { "Retry-After": "0" }));
    expect(await (await open()).get("plain")).toBe(VALUE);
    const refusal = { error: { code: 429, status: "RESOURCE_EXHAUSTED" } };
    gcp.secretManager.before = () => json(429, refusal, { "Retry-After": "0" });
    expect(await fails("plain")).toBe(
      "gcpsecretmanager has not given the secret <plain>: its quota is used up: status 429 (RESOURCE_EXHAUSTED)",
    );
  });

  test("no answer in time is told with the time", async () => {
    gcp.metadata.before = () => new Promise<Response>(() => undefined);
    expect(await fails("plain", { ...sources, timeout: 100 })).toMatch(
      /^signing in to gcpsecretmanager failed: no answer within 0\.1 s; /,
    );
  });
});

describe("a URL that is not as documented", () => {
  const example = "gcpsecretmanager://my-project";
  const project = `needs the id or the number of a project, of lower-case letters, digits and -, for example ${example}.`;
  test.each([
    ["gcpsecretmanager://", `needs a host, for example ${example}.`],
    ["gcpsecretmanager://my_project", project],
    ["gcpsecretmanager://my-project:443", project],
    ["gcpsecretmanager://my-project/secrets", `takes no path behind its host, for example ${example}.`],
    ["gcpsecretmanager://my-project?key=canary-value", "has the unknown parameter key; accepted: none."],
  ])("%s is refused", async (url, what) => {
    expect(await fails("plain", sources, url)).toBe(`The secret provider gcpsecretmanager ${what}`);
  });
});
