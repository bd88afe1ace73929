import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openAzureKeyVault } from "../../lib/secrets/azure/open.ts";
import { openAzureKeyVaultByFetch } from "../../lib/secrets/azure/open-by-fetch.ts";
import type { OpenSecretProvider, SecretSources } from "../../lib/secrets/provider.ts";
import { createAuthority } from "../support/certificates.ts";
import { type Azure, type AzureContent, startAzure } from "./servers/azure.ts";
import { failureOf } from "./servers/failure.ts";
import { loopbackFetch } from "./servers/loopback-fetch.ts";
import { movableClock } from "./servers/movable-clock.ts";
import { json, onceOn } from "./servers/vendor-server.ts";

const SECRET = "canary~client.secret+/1";
const VALUE = "canary-value";
const HEADER = "canary-identity-header";
const PUBLIC: AzureContent = {
  vault: "my-vault.vault.azure.net",
  resource: "https://vault.azure.net",
  entraHost: "login.microsoftonline.com",
  tenant: "11111111-2222-3333-4444-555555555555",
  clients: { countersign: SECRET },
  identities: ["of-the-machine", "of-the-user"],
  identityHeader: HEADER,
  secrets: {
    plain: { value: VALUE },
    database: { value: JSON.stringify({ password: VALUE, "pool.size": 5 }) },
    expired: { value: "old", exp: 1_700_000_001 },
    disabled: { value: VALUE, enabled: false },
    denied: { value: VALUE, isDenied: true },
    empty: { value: "" },
  },
};
const CLIENT = `tenantID=${PUBLIC.tenant}&clientID=countersign&clientSecret=${encodeURIComponent(SECRET)}`;
const VAULT = `azurekeyvault://${PUBLIC.vault}`;

const authority = createAuthority();
const clock = movableClock();
let azure: Azure;
let sources: SecretSources;

beforeAll(async () => {
  azure = await startAzure(PUBLIC, authority.issue({ names: [PUBLIC.vault, PUBLIC.entraHost] }), clock);
  sources = { fetch: loopbackFetch(azure.hosts, authority.cert), openFetch: undefined, clock, environment: {} };
});

beforeEach(() => {
  for (const server of [azure.vault, azure.entra, azure.machine]) server.before = undefined;
});

afterAll(() => azure.close());

const failing = (opener: OpenSecretProvider) => (reference: string, url?: string, using?: SecretSources) =>
  failureOf(async () => (await opening(opener)(url, using)).get(reference), [SECRET, VALUE, HEADER, ...azure.tokens]);
const opening =
  (opener: OpenSecretProvider) =>
  async (url = `${VAULT}?${CLIENT}`, using = sources) =>
    opener(url, using);

describe.each<[string, OpenSecretProvider]>([
  ["Azure's own client", openAzureKeyVault],
  ["requests of our own", openAzureKeyVaultByFetch],
])("Azure Key Vault, read by %s:", (_, opener) => {
  const open = opening(opener);
  const fails = failing(opener);

  describe("reading", () => {
    test.each([
      ["plain", VALUE],
      ["database.password", VALUE],
      ["database.pool.size", "5"],
      ["expired", "old"],
    ])("<%s> is a secret, or a field of the JSON object in it", async (reference, value) => {
      expect(await (await open()).get(reference)).toBe(value);
    });

    test("many secrets take one token, until it is nearly at its end", async () => {
      const provider = await open();
      const [before, asked] = [azure.entra.asked.length, azure.vault.asked.length];
      await Promise.all([provider.get("plain"), provider.get("database.password"), provider.get("expired")]);
      clock.advance(50 * 60_000);
      await provider.get("plain");
      expect(azure.entra.asked.slice(before)).toEqual([`POST /${PUBLIC.tenant}/oauth2/v2.0/token`]);
      // Once the vault has said what it wants a token for, it is not asked without one.
      expect(azure.vault.asked.slice(asked + 6)).toHaveLength(1);
      clock.advance(5 * 60_000);
      await provider.get("plain");
      expect(azure.entra.asked.slice(before)).toHaveLength(2);
    });

    test("fields of one secret that are asked for at the same time take one request", async () => {
      const provider = await open();
      await provider.get("plain");
      const before = azure.vault.asked.length;
      await Promise.all([provider.get("database.password"), provider.get("database.pool.size")]);
      expect(azure.vault.asked.slice(before)).toHaveLength(1);
    });
  });

  describe("sovereign clouds", () => {
    test("the scope follows the vault's domain, and the URL names Entra ID's host", async () => {
      const [vault, entraHost, resource] = ["v.vault.azure.cn", "login.chinacloudapi.cn", "https://vault.azure.cn"];
      const content = { ...PUBLIC, vault, entraHost, resource };
      const china = await startAzure(content, authority.issue({ names: [vault, entraHost] }), clock);
      try {
        const fetch = loopbackFetch(china.hosts, authority.cert);
        const provider = await open(`azurekeyvault://${vault}?${CLIENT}&entraIDHost=${entraHost}`, {
          ...sources,
          fetch,
        });
        expect(await provider.get("plain")).toBe(VALUE);
      } finally {
        await china.close();
      }
    });

    test("no token is asked for that the vault wants for another domain than its own", async () => {
      const before = azure.entra.asked.length;
      const told =
        'Bearer authorization="https://login.microsoftonline.com/t", resource="https://management.azure.com"';
      azure.vault.before = () => json(401, {}, { "WWW-Authenticate": told });
      expect(await fails("plain")).toBe(
        "azurekeyvault has not given the secret <plain>: the vault asks for a token of another domain than its own",
      );
      expect(azure.entra.asked.slice(before)).toEqual([]);
    });
  });

  describe("an answer without a secret", () => {
    test.each([
      ["missing", "there is no such secret in the vault: status 404 (SecretNotFound)"],
      ["disabled", "it is disabled, or the identity may not get it: status 403 (SecretDisabled)"],
      ["denied.key", "it is disabled, or the identity may not get it: status 403 (ForbiddenByRbac)"],
      ["empty", "the secret empty is empty"],
      ["plain.key", "the secret plain is no JSON object with a field key"],
      ["database.user", "the secret database has no field user"],
      ["a/b", "a secret's name has letters, digits and - only"],
      ["", "a secret's name has letters, digits and - only"],
    ])("<%s> is told with its reason", async (reference, reason) => {
      expect(await fails(reference)).toBe(`azurekeyvault has not given the secret <${reference}>: ${reason}`);
    });

    test.each([
      [
        `clientSecret=x${SECRET}`,
        "the client's secret is not valid (any more), or not this client's: status 401 (AADSTS7000215)",
      ],
      [`clientID=other`, "the tenant, the client or the secret is not valid: status 400 (AADSTS700016)"],
      [`tenantID=other`, "the tenant, the client or the secret is not valid: status 400 (AADSTS90002)"],
    ])("with %s signing in fails", async (changed, reason) => {
      const [name = ""] = changed.split("=");
      const parameters = CLIENT.split("&").map((pair) => (pair.startsWith(`${name}=`) ? changed : pair));
      expect(await fails("plain", `${VAULT}?${parameters.join("&")}`)).toBe(
        `signing in to azurekeyvault failed: ${reason}`,
      );
    });

    test.each([
      ["no JSON", new Response("<html>canary-value", { headers: { "Content-Type": "application/json" } })],
      ["no secret", json(200, { secret: VALUE })],
    ])("an answer that is %s is none", async (_, response) => {
      const provider = await open();
      await provider.get("plain");
      onceOn(azure.vault, "/secrets/", response);
      expect(await failureOf(() => provider.get("plain"), [VALUE, ...azure.tokens])).toBe(
        "azurekeyvault has not given the secret <plain>: its answer is no secret",
      );
    });

    test("a token that cannot stand in a header is none", async () => {
      azure.entra.before = () => json(200, { access_token: "canary-azure\r\ntoken", expires_in: 3_599 });
      expect(await fails("plain")).toBe("signing in to azurekeyvault failed: its answer has no access token");
    });

    test("a token that the vault does not accept is told, and the next read takes another", async () => {
      const provider = await open();
      azure.entra.before = () => json(200, { access_token: "canary-azure-token-x", expires_in: 3_599 });
      expect(await failureOf(() => provider.get("plain"), ["canary-azure-token-x", SECRET])).toBe(
        "azurekeyvault has not given the secret <plain>: the token is not accepted: status 401 (Unauthorized)",
      );
      azure.entra.before = undefined;
      expect(await provider.get("plain")).toBe(VALUE);
    });

    test("a redirect is not followed", async () => {
      azure.vault.before = () =>
        new Response(null, { status: 307, headers: { Location: "https://elsewhere.example/" } });
      expect(await fails("plain")).toBe("azurekeyvault has not given the secret <plain>: status 307");
    });

    test("a throttled request is sent again after a while, and at last told", async () => {
      const provider = await open();
      await provider.get("plain");
      onceOn(azure.vault, "/", json(429, {}, { "Retry-After": "0" }));
      expect(await provider.get("plain")).toBe(VALUE);
      const before = azure.vault.asked.length;
      azure.vault.before = () => json(429, { error: { code: "Throttled" } }, { "Retry-After": "0" });
      expect(await failureOf(() => provider.get("plain"), [VALUE, ...azure.tokens])).toBe(
        "azurekeyvault has not given the secret <plain>: the vault is asked too often: status 429 (Throttled)",
      );
      expect(azure.vault.asked.slice(before)).toHaveLength(3);
    });

    test("no answer in time is told with the time and the whole reference", async () => {
      azure.vault.before = () => new Promise<Response>(() => undefined);
      expect(await fails("database.password", undefined, { ...sources, timeout: 100 })).toBe(
        "azurekeyvault has not given the secret <database.password>: no answer within 0.1 s",
      );
    });
  });

  describe("a URL that is not as documented", () => {
    const example = "azurekeyvault://my-vault.vault.azure.net";
    test.each([
      ["azurekeyvault://my-vault", `needs the whole host name of the vault, for example ${example}.`],
      [`${VAULT}/secrets`, `takes no path behind its host, for example ${example}.`],
      [`${VAULT}?tenantID=t&clientID=c`, `needs the parameter clientSecret, for example ${example}.`],
      [`${VAULT}?clientSecret=canary-value`, `needs the parameter tenantID, for example ${example}.`],
      [`${VAULT}?tenantID=t&clientSecret=canary-value`, `needs the parameter clientID, for example ${example}.`],
      [`${VAULT}?entraIDHost=h.example`, "takes entraIDHost only with tenantID, clientID and clientSecret."],
      [
        `${VAULT}?${CLIENT}&entraIDHost=h.example%2Fcanary-value`,
        "needs a host as entraIDHost, for example login.microsoftonline.com.",
      ],
      [
        `${VAULT}?${CLIENT}&entraIDHost=canary-value@h.example`,
        "needs a host as entraIDHost, for example login.microsoftonline.com.",
      ],
      [
        `${VAULT}?clientsecret=canary-value`,
        "has the unknown parameter clientsecret; accepted: tenantID, clientID, clientSecret, entraIDHost.",
      ],
    ])("%s is refused", async (url, what) => {
      expect(await fails("plain", url)).toBe(`The secret provider azurekeyvault ${what}`);
    });
  });
});

describe("what the vault may ask for a token of, to requests of our own:", () => {
  const vault = "https://vault.azure.net";
  const answering = (told: string) => {
    onceOn(
      azure.vault,
      "/secrets/",
      json(401, {}, { "WWW-Authenticate": `Bearer authorization="https://e/t", ${told}` }),
    );
  };

  test.each([`resource="${vault}"`, `resource="${vault}/"`, `scope="${vault}/.default"`])("%s", async (told) => {
    const provider = await opening(openAzureKeyVaultByFetch)();
    answering(told);
    expect(await provider.get("plain")).toBe(VALUE);
  });

  test.each([
    'resource="https://net"',
    'resource="https://azure.net"',
    'resource="http://vault.azure.net"',
    'resource="https://vault.azure.net/other"',
    'resource="https://vault.azure.net:8443"',
    'resource="https://vault.azure.net?other"',
    'scope="https://vault.azure.net/other/.default"',
    'scope="https://x.vault.azure.net/.default"',
    'resource="no URL"',
  ])("not %s", async (told) => {
    const before = azure.entra.asked.length;
    answering(told);
    expect(await failing(openAzureKeyVaultByFetch)("plain")).toBe(
      "azurekeyvault has not given the secret <plain>: the vault asks for a token of another domain than its own",
    );
    expect(azure.entra.asked.slice(before)).toEqual([]);
  });
});

describe("managed identities", () => {
  const open = opening(openAzureKeyVault);
  const fails = failing(openAzureKeyVault);

  test("without a client's secret, the machine's identity is taken from its metadata service", async () => {
    const before = azure.machine.asked.length;
    const provider = await open(VAULT);
    expect(await provider.get("plain")).toBe(VALUE);
    clock.advance(20 * 3_600_000);
    await provider.get("plain");
    expect(azure.machine.asked.slice(before)).toEqual([
      "GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fvault.azure.net",
    ]);
  });

  test("a client ID alone names one of several identities", async () => {
    expect(await (await open(`${VAULT}?clientID=of-the-user`)).get("plain")).toBe(VALUE);
    expect(azure.machine.asked.at(-1)).toContain("client_id=of-the-user");
    expect(await fails("plain", `${VAULT}?clientID=unknown`)).toBe(
      "signing in to azurekeyvault failed: no such identity is assigned to this machine: status 400 (invalid_request); " +
        "a managed identity was asked for, as the URL has no clientSecret",
    );
  });

  test("on App Service, Functions and Container Apps the announced endpoint is used", async () => {
    const environment = { IDENTITY_ENDPOINT: "http://app-service/MSI/token", IDENTITY_HEADER: HEADER };
    const before = azure.machine.asked.length;
    const provider = await open(VAULT, { ...sources, environment });
    expect(await provider.get("plain")).toBe(VALUE);
    clock.advance(20 * 3_600_000);
    await provider.get("plain");
    expect(azure.machine.asked.slice(before)).toEqual([
      "GET /MSI/token?api-version=2019-08-01&resource=https%3A%2F%2Fvault.azure.net",
    ]);
    const wrong = { ...environment, IDENTITY_HEADER: `${HEADER}x` };
    expect(await fails("plain", VAULT, { ...sources, environment: wrong })).toMatch(
      /^signing in to azurekeyvault failed: status 401; a managed identity was asked for/,
    );
    const malformed = { ...environment, IDENTITY_ENDPOINT: `ftp://${HEADER}@x/` };
    expect(await fails("plain", VAULT, { ...sources, environment: malformed })).toBe(
      "The variable IDENTITY_ENDPOINT is no http or https URL.",
    );
    const unusable = { ...environment, IDENTITY_HEADER: `${HEADER}\nx` };
    expect(await fails("plain", VAULT, { ...sources, environment: unusable })).toBe(
      "The variable IDENTITY_HEADER holds what cannot stand in a header.",
    );
  });

  test("outside of Azure, the error says why there was a metadata service asked", async () => {
    const fetch = loopbackFetch({ [PUBLIC.vault]: azure.vault.port }, authority.cert);
    expect(await fails("plain", VAULT, { ...sources, fetch })).toBe(
      "signing in to azurekeyvault failed: the connection failed; a managed identity was asked for, as the URL has no clientSecret",
    );
  });

  test("are none where our own requests are needed", async () => {
    for (const url of [VAULT, `${VAULT}?clientID=of-the-user`]) {
      expect(await failing(openAzureKeyVaultByFetch)("plain", url)).toBe(
        "The secret provider azurekeyvault needs tenantID, clientID and clientSecret on this runtime, whose machines have no identity, for example azurekeyvault://my-vault.vault.azure.net?tenantID=…&clientID=…&clientSecret=….",
      );
    }
  });
});
