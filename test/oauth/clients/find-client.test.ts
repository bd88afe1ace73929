import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { findClient } from "../../../lib/authorization-server/clients/find-client.ts";
import { NO_REGISTRATION } from "../../support/configuration.ts";
import { ISSUER, PROVIDER } from "../../support/in-process.ts";
import { APP, newKey, REGISTRATION, type Started, startForClients } from "./started.ts";

let product: Started;
beforeAll(async () => {
  product = await startForClients();
});
afterAll(() => product.close());

describe("the clients of the configuration", () => {
  test("an app is found by its client id and nothing else of it", async () => {
    const client = await findClient("app", product.dependencies);
    expect(client).toMatchObject({
      kind: "app",
      clientId: "app",
      name: "An app",
      authentication: { method: "secret", secrets: APP.secrets, secretHashes: [] },
      redirectURLs: APP.redirectURLs,
      grantTypes: APP.grantTypes,
      connectors: ["corp"],
      consent: "once",
    });
    expect(await findClient("An app", product.dependencies)).toBeUndefined();
  });

  test("nothing is asked for an id that cannot be a client's", async () => {
    const untouched = {
      ...product.dependencies,
      stores: undefined,
      clientDocuments: undefined,
    } as unknown as Dependencies;
    const ids = [
      "",
      "unknown",
      "agent_",
      "agent_x",
      "http://agent.example/c",
      "https://agent.example/",
      "client_x",
      "user_x",
    ];
    for (const id of ids) expect(await findClient(id, untouched)).toBeUndefined();
  });

  test("the page for a client whose description cannot be had says where that would be", async () => {
    const pageFor = async (clientId: string) => {
      const query = new URLSearchParams({ response_type: "code", client_id: clientId });
      return (await product.send(`/oauth2/authorize?${query}`)).text();
    };
    const page = await pageFor("https://nobody.example/client.json");
    expect(page).toContain(
      "The application describes itself at nobody.example, and no usable description came from there.",
    );
    expect(await pageFor("agent_of_yesterday")).toContain("let it register again");
  });

  test("a connector at this very instance is none that people sign in at", async () => {
    const own = { name: "own", wellKnownURL: `${ISSUER}/.well-known/openid-configuration` };
    const { configuration } = product.dependencies.configuration();
    const [corp] = configuration.connectors;
    if (corp === undefined) throw new Error("no connector");
    const app = { ...APP, idps: ["own", "corp", "gone"] };
    const snapshot = {
      revision: 1,
      configuration: { ...configuration, connectors: [corp, { ...corp, ...own }], apps: [app] },
    };
    const client = await findClient("app", { ...product.dependencies, configuration: () => snapshot });
    expect(client?.connectors).toEqual(["corp"]);
  });
});

describe("clients with a metadata document", () => {
  let count = 0;
  let url: string;
  beforeEach(() => {
    count += 1;
    url = `https://agent.example/client/${count}`;
    // Later tests are not held to what the earlier ones asked for.
    product.clock.set(product.clock.now() + 60_000);
  });
  const DOCUMENT = {
    client_name: "Agent",
    redirect_uris: ["http://127.0.0.1/callback"],
    token_endpoint_auth_method: "none",
  };
  const found = (document: object) => {
    product.server.serve(url, { client_id: url, ...DOCUMENT, ...document });
    return findClient(url, product.dependencies);
  };

  test("a client is what its document says, within what the configuration gives such clients", async () => {
    const client = await found({
      grant_types: ["authorization_code", "refresh_token", "client_credentials"],
      response_types: ["code"],
      client_uri: "https://agent.example/about",
      scope: "openid books:read admin",
      logo_uri: "https://evil.example/logo.svg",
      something: { unknown: true },
    });
    expect(client).toEqual({
      kind: "metadata_document",
      clientId: url,
      name: "Agent",
      uri: "https://agent.example/about",
      authentication: { method: "none" },
      redirectURLs: ["http://127.0.0.1/callback"],
      grantTypes: ["authorization_code", "refresh_token"],
      scopes: ["openid", "books:read"],
      audiences: REGISTRATION.allowedAudiences,
      connectors: ["corp"],
      consent: "once",
      accessToken: REGISTRATION.accessToken,
      defaultScopes: [],
      claimsMapping: {},
      tokenExchange: { impersonation: false, subjectConnectors: [] },
    });
  });

  test("what it leaves out is what RFC 7591 says, and its name is its host", async () => {
    const client = await found({ client_name: undefined, token_endpoint_auth_method: undefined });
    expect(client).toMatchObject({
      name: "agent.example",
      grantTypes: ["authorization_code"],
      authentication: { method: "none" },
      scopes: REGISTRATION.scopes,
    });
  });

  test("a page of somebody else's is not shown as the client's own", async () => {
    expect(await found({ client_uri: "https://evil.example/about" })).not.toHaveProperty("uri");
  });

  test("redirects that are not accepted here are left out; those of other servers harm nothing", async () => {
    const client = await found({
      redirect_uris: [
        "https://agent.example/cb",
        "javascript:alert(1)",
        "http://evil.example/",
        "com.example.app:/cb",
        1,
      ],
    });
    expect(client?.redirectURLs).toEqual(["https://agent.example/cb", "com.example.app:/cb"]);
  });

  test("it authenticates by keys in the document, or at an address that it names", async () => {
    const { jwk } = await newKey();
    const method = { token_endpoint_auth_method: "private_key_jwt" };
    expect((await found({ ...method, jwks: { keys: [jwk] } }))?.authentication).toEqual({
      method: "private_key_jwt",
      keys: [jwk],
    });
    product.clock.set(product.clock.now() + 600_000);
    const keysURL = "https://agent.example/keys";
    expect((await found({ ...method, jwks_uri: keysURL }))?.authentication).toEqual({
      method: "private_key_jwt",
      keysURL,
    });
  });

  test.each<[string, object]>([
    ["another client_id", { client_id: "https://agent.example/other" }],
    ["no client_id", { client_id: undefined }],
    ["a client_id with a slash more", { client_id: "https://agent.example/client/" }],
    ["a shared secret", { client_secret: "s" }],
    ["a secret's expiry", { client_secret_expires_at: 0 }],
    ["authentication by secret", { token_endpoint_auth_method: "client_secret_basic" }],
    ["authentication by a JWT under a secret", { token_endpoint_auth_method: "client_secret_jwt" }],
    ["authentication by what is unknown", { token_endpoint_auth_method: ["none"] }],
    ["no redirects", { redirect_uris: [] }],
    ["no redirects at all", { redirect_uris: undefined }],
    ["redirects that are text", { redirect_uris: "https://agent.example/cb" }],
    ["only redirects that are not accepted", { redirect_uris: ["javascript:alert(1)"] }],
    ["too many redirects", { redirect_uris: Array.from({ length: 21 }, (_, i) => `https://agent.example/${i}`) }],
    ["grants without the code", { grant_types: ["client_credentials"] }],
    ["grants that are text", { grant_types: "authorization_code" }],
    ["response types without code", { response_types: ["token"] }],
    ["a name that turns the writing", { client_name: "Agent\u202eedisni" }],
    ["a name with line breaks", { client_name: "Agent\nTrusted by Example" }],
    ["a name that is too long", { client_name: "a".repeat(101) }],
    ["a name that is none", { client_name: { en: "Agent" } }],
    ["private_key_jwt without keys", { token_endpoint_auth_method: "private_key_jwt" }],
    ["private_key_jwt with no keys", { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [] } }],
    [
      "keys at an address that is not https",
      { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "http://agent.example/k" },
    ],
    [
      "keys and an address of keys",
      { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [{}] }, jwks_uri: "https://agent.example/k" },
    ],
  ])("a document with %s is refused, and the log says why", async (_, document) => {
    expect(await found(document)).toBeUndefined();
    const line = product.logs.find(
      (entry) => entry.includes("client metadata document refused") && entry.includes(url),
    );
    expect(line).toContain('"reason":');
  });

  test("a document that cannot be had is no client", async () => {
    expect(await findClient("https://agent.example/absent", product.dependencies)).toBeUndefined();
  });

  test("an address at this very instance is not asked", async () => {
    const before = product.server.connections();
    expect(await findClient(`${ISSUER}/oauth2/authorize?client_id=x`, product.dependencies)).toBeUndefined();
    expect(product.server.connections()).toBe(before);
    expect(product.logs.some((line) => line.includes(`${ISSUER}/oauth2/authorize`))).toBe(false);
  });

  test("where such clients are not accepted, or have nowhere to sign in, nothing is fetched", async () => {
    product.server.serve(url, { client_id: url, ...DOCUMENT });
    const { configuration } = product.dependencies.configuration();
    for (const change of [{ oidcProvider: { ...PROVIDER, registration: NO_REGISTRATION } }, { connectors: [] }]) {
      const snapshot = { revision: 1, configuration: { ...configuration, ...change } };
      expect(await findClient(url, { ...product.dependencies, configuration: () => snapshot })).toBeUndefined();
    }
    expect(product.server.requests).not.toContain(url);
  });
});
