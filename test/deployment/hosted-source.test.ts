import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostedSource } from "../../lib/deployment/hosted-source.ts";
import { NothingPublishedError } from "../../lib/deployment/source.ts";
import { type Gcp, startGcp } from "../secrets/servers/gcp.ts";
import { loopbackFetch } from "../secrets/servers/loopback-fetch.ts";
import { movableClock } from "../secrets/servers/movable-clock.ts";
import { isSignedBy } from "../secrets/servers/secrets-manager.ts";
import { json, startVendorServer, type VendorRequest, type VendorServer } from "../secrets/servers/vendor-server.ts";
import { createAuthority } from "../support/certificates.ts";

const NAMES = [
  ...["api.github.com", "ghe.example", "gitlab.example", "config.s3.eu-west-1.amazonaws.com", "r2.example"],
  ...["s3.eu-west-1.amazonaws.com", "storage.googleapis.com", "oauth2.googleapis.com"],
  ...["accounts.blob.core.windows.net", "login.microsoftonline.com"],
];
const EMAIL = "countersign@my-project.iam.gserviceaccount.com";
const TAG = '"of the bundle"';
const authority = createAuthority();
const clock = movableClock(Date.now());
const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  ...{ modulusLength: 2048, publicKeyEncoding: { type: "spki", format: "pem" } },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** Stands in for places that run elsewhere only: by their hosts. It follows their API references. */
let place: VendorServer;
let gcp: Gcp;
let fetch: typeof globalThis.fetch;
/** What the place checks of a request besides its path; whoever fails it is refused. */
let mayRead: (request: VendorRequest) => boolean;

beforeAll(async () => {
  const tls = authority.issue({ names: NAMES });
  place = await startVendorServer((request) => {
    if (request.path.endsWith("/oauth2/v2.0/token")) return entra(request);
    if (!mayRead(request)) return json(403, { message: "no" });
    if (request.path.includes("absent")) return json(404, { message: "Not Found" });
    if (request.headers.get("If-None-Match") === TAG) return new Response(null, { status: 304 });
    return new Response("a bundle", { headers: { etag: TAG } });
  }, tls);
  gcp = await startGcp({ project: "p", accounts: { [EMAIL]: publicKey }, hasIdentity: true, secrets: {} }, tls, clock);
  const hosts = Object.fromEntries(NAMES.map((name) => [name, place.port]));
  fetch = loopbackFetch({ ...hosts, ...gcp.hosts }, authority.cert);
});
afterAll(async () => {
  await Promise.all([place.close(), gcp.close()]);
});

function entra({ path, body }: VendorRequest): Response {
  const { client_id, client_secret, scope, grant_type } = Object.fromEntries(new URLSearchParams(body));
  const asked = [path, client_id, client_secret, scope, grant_type].join(" ");
  const wanted = "/tenant/oauth2/v2.0/token client secret https://storage.azure.com/.default client_credentials";
  return asked === wanted ? json(200, { access_token: "of Entra".replace(" ", "-"), expires_in: 3599 }) : json(400, {});
}

const bearer = (token: string) => (request: VendorRequest) =>
  request.headers.get("Authorization") === `Bearer ${token}`;
const signedFor = (request: VendorRequest) => isSignedBy(request, "s3", "AKIDEXAMPLE", "wJalrXUtnFEMI");
const KEYS = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI" };
const SERVICE_ACCOUNT = JSON.stringify({
  ...{ type: "service_account", private_key: privateKey, client_email: EMAIL },
  token_uri: "https://oauth2.googleapis.com/token",
});
const AZURE = { AZURE_TENANT_ID: "tenant", AZURE_CLIENT_ID: "client", AZURE_CLIENT_SECRET: "secret" };
const open = (source: string, environment: Readonly<Record<string, string>> = {}) =>
  hostedSource(new URL(source), { fetch, environment, clock, limit: 1_000 });

interface Row {
  readonly source: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly asked: string;
  readonly mayRead?: (request: VendorRequest) => boolean;
}

const ROWS: Readonly<Record<string, Row>> = {
  "a repository at GitHub": {
    source: "github://owner/config/gateway/bundle.json?ref=main",
    environment: { SVC_CONFIG_TOKEN: "t" },
    asked: "GET /repos/owner/config/contents/gateway/bundle.json?ref=main",
    mayRead: (request) => bearer("t")(request) && request.headers.get("Accept") === "application/vnd.github.raw+json",
  },
  "a repository at a GitHub of one's own, without a token": {
    source: "github://owner/config/bundle.json?api=https%3A%2F%2Fghe.example%2Fapi%2Fv3%2F",
    asked: "GET /api/v3/repos/owner/config/contents/bundle.json",
    mayRead: ({ headers }) => !headers.has("Authorization"),
  },
  "a project at GitLab": {
    source: "gitlab://gitlab.example/group/sub/project/-/gateway/bundle.json",
    environment: { SVC_CONFIG_TOKEN: "t" },
    asked: "GET /api/v4/projects/group%2Fsub%2Fproject/repository/files/gateway%2Fbundle.json/raw?ref=HEAD",
    mayRead: bearer("t"),
  },
  "a bucket at S3": {
    source: "s3://config/us/bundle.json?region=eu-west-1",
    environment: { ...KEYS },
    asked: "GET /us/bundle.json",
    mayRead: (request) => signedFor(request) && request.headers.get("host") === "config.s3.eu-west-1.amazonaws.com",
  },
  "a bucket with dots, and the region of the environment": {
    source: "s3://config.example/bundle.json",
    environment: { ...KEYS, AWS_REGION: "eu-west-1" },
    asked: "GET /config.example/bundle.json",
    mayRead: signedFor,
  },
  "a bucket at another service": {
    source: "s3://config/bundle.json?region=auto&endpoint=https%3A%2F%2Fr2.example",
    environment: { ...KEYS },
    asked: "GET /config/bundle.json",
    mayRead: signedFor,
  },
  "a public bucket": {
    source: "s3://config/bundle.json?region=eu-west-1",
    asked: "GET /bundle.json",
    mayRead: ({ headers }) => !headers.has("Authorization"),
  },
  "a bucket at Google, as a service account": {
    source: "gs://config/us/bundle.json",
    environment: { GOOGLE_SERVICE_ACCOUNT_JSON: SERVICE_ACCOUNT },
    asked: "GET /config/us/bundle.json",
    mayRead: (request) => gcp.tokens.some((token) => bearer(token)(request)),
  },
  "a bucket at Google, as the machine": {
    source: "gs://config/bundle.json",
    asked: "GET /config/bundle.json",
    mayRead: (request) => gcp.tokens.some((token) => bearer(token)(request)),
  },
  "a container at Azure": {
    source: "azblob://accounts/config/us/bundle.json",
    environment: AZURE,
    asked: "GET /config/us/bundle.json",
    mayRead: (request) => bearer("of-Entra")(request) && request.headers.get("x-ms-version") === "2021-12-02",
  },
};

describe("81. a bundle in", () => {
  test.each(Object.entries(ROWS))("%s is read, and again when it has changed", async (_, row) => {
    mayRead = row.mayRead ?? (() => true);
    const source = await open(row.source, row.environment);
    expect(source.name).toBe(row.source.split("?")[0]);
    const found = await source.read(undefined, undefined);
    expect([new TextDecoder().decode(found?.bytes), found?.tag]).toEqual(["a bundle", TAG]);
    expect(place.asked.at(-1)).toBe(row.asked);
    expect(await source.read(TAG, undefined)).toBeUndefined();
    mayRead = () => false;
    await expect(source.read(undefined, undefined)).rejects.toThrow(`${source.name} answered with status 403`);
  });

  test("a place where nothing is says so", async () => {
    mayRead = () => true;
    const source = await open("github://owner/config/absent.json");
    await expect(source.read(undefined, undefined)).rejects.toThrow(NothingPublishedError);
  });

  test("a place whose credentials are wrong says so without them", async () => {
    const source = await open("azblob://accounts/config/b.json", { ...AZURE, AZURE_CLIENT_SECRET: "canary" });
    const error = await source.read(undefined, undefined)?.catch(String);
    expect(error).toMatch(/signing in to azblob failed: the tenant, the client or the secret is not valid/);
    expect(error).not.toContain("canary");
  });

  test.each([
    ["github://owner", "github://OWNER/REPOSITORY/PATH?ref=BRANCH"],
    ["github://owner/repository", "github://OWNER/REPOSITORY/PATH?ref=BRANCH"],
    ["github://owner/repository/a?branch=main", "github://OWNER/REPOSITORY/PATH?ref=BRANCH"],
    ["github://token@owner/repository/a", "credentials are in variables"],
    ["github://owner/repository/a?api=http%3A%2F%2Fghe.example", "the parameter api is no https URL"],
    ["gitlab://gitlab.example/group/project/a", "gitlab://HOST/GROUP/PROJECT/-/PATH?ref=BRANCH"],
    ["s3://bucket/key", "it needs a region"],
    ["s3://bucket/a%20b?region=us-east-1", "letters, digits and . _ ~ - / only"],
    ["s3://bucket?region=us-east-1", "s3://BUCKET/KEY?region=REGION&endpoint=URL"],
    ["gs://bucket", "gs://BUCKET/KEY"],
    ["azblob://account/key", "azblob://ACCOUNT/CONTAINER/KEY"],
  ])("what is written wrong says how it is written: %s", async (source, message) => {
    await expect(open(source)).rejects.toThrow(message);
  });
});
