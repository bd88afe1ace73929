import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../lib/kernel/clock.ts";
import { createAuthority } from "../support/certificates.ts";
import { type AzureContent, startAzure } from "./servers/azure.ts";
import { startConjur } from "./servers/conjur.ts";
import { startDelinea } from "./servers/delinea.ts";
import { startGcp } from "./servers/gcp.ts";
import { startSecretsManager } from "./servers/secrets-manager.ts";
import { type ProvidersOnWorkerd, providersOnWorkerd } from "./servers/workerd.ts";

const EMAIL = "countersign@my-project.iam.gserviceaccount.com";
const AWS_KEY = { id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const AWS_HOST = "secretsmanager.eu-west-2.amazonaws.com";
const VAULT: AzureContent = {
  vault: "my-vault.vault.azure.net",
  resource: "https://vault.azure.net",
  entraHost: "login.microsoftonline.com",
  tenant: "11111111-2222-3333-4444-555555555555",
  clients: { countersign: "of the+client" },
  identities: [],
  identityHeader: "none",
  secrets: { db: { value: '{"password":"of Azure"}' }, off: { value: "x", enabled: false } },
};
const NAMES = [
  "conjur.example.com",
  "delinea.example.com",
  "secretmanager.googleapis.com",
  "oauth2.googleapis.com",
  AWS_HOST,
  VAULT.vault,
  VAULT.entraHost,
];
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
  const aws = opening(await startSecretsManager(tls));
  aws.accessKeys.set(AWS_KEY.id, AWS_KEY.secret);
  aws.secrets.set("db", { text: '{"password":"of AWS"}' });
  const azure = opening(await startAzure(VAULT, tls, systemClock));
  const hosts = {
    "conjur.example.com": conjur.port,
    "delinea.example.com": delinea.port,
    "secretmanager.googleapis.com": Number(gcp.hosts["secretmanager.googleapis.com"]),
    "oauth2.googleapis.com": Number(gcp.hosts["oauth2.googleapis.com"]),
    [AWS_HOST]: aws.port,
    [VAULT.vault]: azure.vault.port,
    [VAULT.entraHost]: azure.entra.port,
  };
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

test("a Worker reads from AWS Secrets Manager, which verifies its signature", async () => {
  const url = "awssecretsmanager://amazonaws.com?region=eu-west-2";
  const keyed = (secret: string) => `${url}&accessKeyID=${AWS_KEY.id}&secretAccessKey=${secret}`;
  expect(await workerd.read(keyed(AWS_KEY.secret), "db.password")).toBe("of AWS");
  expect(await workerd.read(keyed("another"), "db.password")).toContain(
    "awssecretsmanager has not given the secret <db.password>: the secret access key does not fit the access key ID",
  );
  expect(await workerd.read(url, "db.password")).toContain("there are no credentials: none in the URL");
  const environment = {
    AWS_ACCESS_KEY_ID: AWS_KEY.id,
    AWS_SECRET_ACCESS_KEY: AWS_KEY.secret,
    AWS_SESSION_TOKEN: "of/the+session==",
  };
  expect(await workerd.read(url, "db.password", environment)).toBe("of AWS");
});

test("a Worker reads from Azure Key Vault as a client with its secret", async () => {
  const as = (secret: string) =>
    `azurekeyvault://${VAULT.vault}?tenantID=${VAULT.tenant}&clientID=countersign&clientSecret=${encodeURIComponent(secret)}`;
  expect(await workerd.read(as("of the+client"), "db.password")).toBe("of Azure");
  expect(await workerd.read(as("of the+client"), "off")).toBe(
    "azurekeyvault has not given the secret <off>: it is disabled, or the identity may not get it: status 403 (SecretDisabled)",
  );
  expect(await workerd.read(as("another"), "db.password")).toContain("signing in to azurekeyvault failed: ");
  expect(await workerd.read(`azurekeyvault://${VAULT.vault}`, "db.password")).toContain(
    "needs tenantID, clientID and clientSecret on this runtime",
  );
});
