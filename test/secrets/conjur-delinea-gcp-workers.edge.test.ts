import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../lib/kernel/clock.ts";
import { createAuthority } from "../support/certificates.ts";
import { startConjur } from "./servers/conjur.ts";
import { startDelinea } from "./servers/delinea.ts";
import { startGcp } from "./servers/gcp.ts";
import { type ProvidersOnWorkerd, providersOnWorkerd } from "./servers/workerd.ts";

const EMAIL = "countersign@my-project.iam.gserviceaccount.com";
const NAMES = ["conjur.example.com", "delinea.example.com", "secretmanager.googleapis.com", "oauth2.googleapis.com"];
const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

const opened: { close(): Promise<void> }[] = [];
let workerd: ProvidersOnWorkerd;

beforeAll(async () => {
  const authority = createAuthority();
  const tls = authority.issue({ names: NAMES });
  const opening = <T extends { close(): Promise<void> }>(closable: T): T => {
    opened.push(closable);
    return closable;
  };
  const conjur = opening(
    await startConjur(
      { account: "org", apiKeys: { "host/app": "key" }, variables: { "a/b": "of Conjur" } },
      tls,
      systemClock,
    ),
  );
  const secrets = [{ id: 1, name: "db", folderId: 2, fields: { password: "of Delinea" } }];
  const delinea = opening(
    await startDelinea(
      { base: "", username: "user", password: "p w", folders: { "\\Team": 2 }, secrets },
      tls,
      systemClock,
    ),
  );
  const gcp = opening(
    await startGcp(
      {
        project: "my-project",
        accounts: { [EMAIL]: publicKey },
        hasIdentity: false,
        secrets: { db: { data: '{"password":"of Google"}' } },
      },
      tls,
      systemClock,
    ),
  );
  const { "metadata.google.internal": _, ...google } = gcp.hosts;
  const hosts = { "conjur.example.com": conjur.port, "delinea.example.com": delinea.port, ...google };
  workerd = opening(await providersOnWorkerd(hosts, authority.cert));
});

afterAll(async () => {
  await Promise.all(opened.map((closable) => closable.close()));
});

test("a Worker reads from Conjur", async () => {
  expect(await workerd.read("conjur://conjur.example.com/org/host%2Fapp?apikey=key", "a.b")).toBe("of Conjur");
  expect(await workerd.read("conjur://conjur.example.com/org/host%2Fapp?apikey=other", "a.b")).toBe(
    "signing in to conjur failed: the account, the login or the API key is not valid: status 401",
  );
});

test("a Worker reads from Delinea Secret Server", async () => {
  const url = "delinea://delinea.example.com?username=user&password=p%20w&folder=Team";
  expect(await workerd.read(url, "db.password")).toBe("of Delinea");
  expect(await workerd.read(url, "db.pin")).toBe(
    "delinea has not given the secret <db.pin>: the secret db has no field pin",
  );
});

test("a Worker reads from Google Cloud with a service account's key in its environment", async () => {
  const key = { type: "service_account", client_email: EMAIL, private_key: privateKey };
  const environment = { GOOGLE_SERVICE_ACCOUNT_JSON: JSON.stringify(key) };
  expect(await workerd.read("gcpsecretmanager://my-project", "db.password", environment)).toBe("of Google");
  expect(await workerd.read("gcpsecretmanager://my-project", "none", environment)).toBe(
    "gcpsecretmanager has not given the secret <none>: there is no such secret in the project, or it has no version: status 404 (NOT_FOUND)",
  );
});
