import { describe, expect, test } from "vitest";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { checkAhead, resolveConfiguration } from "../../lib/config/resolve.ts";
import { hex } from "../../lib/kernel/encoding.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { compiled, configurationOf, mistakes, OPENAPI, startMistakes, warningsOf } from "./support.ts";

const KEY = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA";
const BYTES = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const GITHUB =
  'authorizationURL: "https://github.com/login/oauth/authorize", tokenURL: "https://github.com/login/oauth/access_token"';
const CLIENT = "oauthClientID: countersign, oauthClientSecret: <github.secret>";
const SIGN_IN = '{name: corp, type: oidc, oauthClientID: c, oidcWellKnownURL: "https://id.example/x"}';
const oauth = (keys: string, name = "github") => `{name: ${name}, type: oauth, ${keys}}`;
const bridge = (userToken = "connector: github", more = "") =>
  `{name: things, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}, ${more} authorization: {inbound: {cel: 'true'}, outbound: {type: userToken, userToken: {${userToken}}}}}`;
const proxy = (name: string, url: string, userToken = "connector: github") =>
  `{name: ${name}, type: mcpProxy, upstream: {stream: {url: "${url}"}}, authorization: {inbound: {cel: 'true'}, outbound: {type: userToken, userToken: {${userToken}}}}}`;
const GATEWAY = `version: 1
http: {publicURL: "https://gw.example"}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers: [{wellKnownEndpoint: "https://id.example/x", tokenValidation: {expectedAudiences: ["https://gw.example/mcp"]}}]
`;

const web = (outbound = "connector: github", more = "", authentication = "{idps: [corp]}") =>
  `{name: site, type: proxy, routePatterns: [/site], upstream: "https://a.example", ${more} policies: [{location: /, authentication: ${authentication}, authorization: {allowAll: true}}], authorization: {outbound: {type: userToken, userToken: {${outbound}}}}}`;

interface Parts {
  readonly connectors?: readonly string[];
  readonly apps?: readonly string[];
  readonly vault?: string;
}

const document = ({
  connectors = [oauth(`${GITHUB}, ${CLIENT}`)],
  apps = [bridge()],
  vault = `{keys: [${KEY}]}`,
}: Parts) =>
  `${GATEWAY}connectors: [${[SIGN_IN, ...connectors].join(", ")}]\nvault: ${vault}\napps: [${apps.join(", ")}]`;

const SECRETS = { secrets: { S_GITHUB_SECRET: "hunter2" } };

describe("accounts of people at providers", () => {
  test("a provider is written down with who this service is there", async () => {
    const { connectors, oauthConnectors } = await configurationOf(document({}), SECRETS);
    expect(connectors.map(({ name }) => name)).toEqual(["corp"]);
    expect(oauthConnectors).toEqual([
      {
        name: "github",
        type: "oauth",
        endpoints: {
          kind: "static",
          authorizationURL: "https://github.com/login/oauth/authorize",
          tokenURL: "https://github.com/login/oauth/access_token",
        },
        clientID: "countersign",
        clientSecret: "hunter2",
        clientAuthentication: "client_secret_basic",
        clientMetadata: false,
        disablePKCE: false,
        refresh: { grace: 0, timeout: 10_000 },
      },
    ]);
  });

  test("with all that a provider may need", async () => {
    const keys = `${GITHUB}, clientMetadata: true, clientAuthentication: private_key_jwt, issuer: "https://github.com", revocationURL: "https://github.com/r",
      authorizationParameters: {access_type: offline}, refresh: {grace: 10s, timeout: 25s}, tls: internal,
      account: {url: "https://api.github.com/user", id: data.id, label: login}`;
    const text = `${document({ connectors: [oauth(keys)] })}\ntls: {internal: {caFile: ca.crt}}`;
    expect((await configurationOf(text)).oauthConnectors).toMatchObject([
      {
        endpoints: { kind: "static", issuer: "https://github.com", revocationURL: "https://github.com/r" },
        ...{ clientMetadata: true, clientAuthentication: "private_key_jwt", tls: "internal" },
        authorizationParameters: { access_type: "offline" },
        refresh: { grace: 10_000, timeout: 25_000 },
        account: { url: "https://api.github.com/user", id: "data.id", label: "login" },
      },
    ]);
  });

  test("a provider is found from the MCP server that is called, or from one that is named", async () => {
    const found = oauth("discover: true");
    const text = document({ connectors: [found], apps: [proxy("saas", "https://mcp.example/mcp")] });
    const [discovered] = (await configurationOf(text)).oauthConnectors;
    expect(discovered).toMatchObject({ endpoints: { kind: "discover", resource: "https://mcp.example/mcp" } });
    // As the provider takes it.
    expect(discovered).not.toHaveProperty("clientAuthentication");
    const named = oauth('discover: true, resource: "https://a.example/mcp", issuer: "https://as.example"');
    const two = [proxy("one", "https://mcp.example/mcp"), proxy("two", "https://mcp.example/other")];
    expect((await configurationOf(document({ connectors: [named], apps: two }))).oauthConnectors[0]?.endpoints).toEqual(
      {
        ...{ kind: "discover", resource: "https://a.example/mcp", issuer: "https://as.example" },
      },
    );
  });

  test.each([
    ["base64", "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="],
    ["base64url", KEY],
    ["hexadecimal digits", hex(BYTES)],
  ])("a key of the vault is written as %s", async (_, written) => {
    const configuration = await configurationOf(document({ vault: `{keys: ["${written}"]}` }), SECRETS);
    expect(configuration.vaultKeys).toEqual([KEY]);
  });

  test("10. a key of the vault is told to the log as it is written and as it is used", async () => {
    const told: string[] = [];
    await resolveConfiguration(await compiled(document({ vault: `{keys: ["${hex(BYTES)}"]}` })), {
      environment: {},
      secrets: environmentSecrets({ S_GITHUB_SECRET: "hunter2" })("env://S_"),
      runtime: "node",
      onSecret: (secret) => told.push(secret),
    });
    expect(told).toEqual(expect.arrayContaining([hex(BYTES), KEY, "hunter2"]));
  });

  test("an app names the connector, and the scopes of its tools", async () => {
    const keys = `connector: github, resource: "https://api.example/", scopes: [read, read], perAgent: true,
      tools: [{name: /get.*/, scopes: [{name: write}]}, {name: getThing}]`;
    const { apps } = await configurationOf(document({ apps: [bridge(keys)] }), SECRETS);
    expect(apps).toMatchObject([
      {
        outbound: {
          type: "userToken",
          connector: "github",
          resource: "https://api.example/",
          scopes: ["read"],
          tools: [
            { name: "/get.*/", scopes: ["write"] },
            { name: "getThing", scopes: [] },
          ],
          perAgent: true,
        },
      },
    ]);
  });

  const KEYS = `${GITHUB}, ${CLIENT}`;
  const connector = (keys: string) => document({ connectors: [oauth(keys)] });
  const app = (userToken: string, more = "") => document({ apps: [bridge(userToken, more)] });
  test.each<readonly [rule: string, text: string, path: string, message: string]>([
    [
      "a provider needs both endpoints",
      connector(`authorizationURL: "https://a.example/", ${CLIENT}`),
      "connectors[1].tokenURL",
      "required without discover",
    ],
    [
      "none is written of one that is found",
      connector(`${KEYS}, discover: true, resource: "https://a.example/"`).replace(/tokenURL: "[^"]*", /, ""),
      "connectors[1].authorizationURL",
      "stands beside discover: true",
    ],
    [
      "resource is where a provider is found from",
      connector(`${KEYS}, resource: "https://a.example/"`),
      "connectors[1].resource",
      "needs discover: true",
    ],
    [
      "a REST API tells no MCP server",
      connector("discover: true"),
      "connectors[1].resource",
      "required, as no mcpProxy app uses the connector",
    ],
    [
      "of two MCP servers none is taken by itself",
      document({
        connectors: [oauth("discover: true")],
        apps: [proxy("a", "https://a.example/mcp"), proxy("b", "https://b.example/mcp")],
      }),
      "connectors[1].resource",
      "required, as apps with different URLs",
    ],
    [
      "a client has an id",
      connector(GITHUB),
      "connectors[1].oauthClientID",
      "required without clientMetadata and discover",
    ],
    [
      "a client has one id",
      connector(`${KEYS}, clientMetadata: true`),
      "connectors[1].clientMetadata",
      "stands beside oauthClientID",
    ],
    [
      "a secret is of a client",
      connector(`${GITHUB}, clientMetadata: true, oauthClientSecret: s`),
      "connectors[1].oauthClientSecret",
      "needs oauthClientID",
    ],
    [
      "a key is of a client",
      connector(`${GITHUB}, clientMetadata: true, clientAuthentication: private_key_jwt, privateKey: <github.key>`),
      "connectors[1].privateKey",
      "needs oauthClientID",
    ],
    [
      "a way with a key needs it",
      connector(`${GITHUB}, oauthClientID: a, clientAuthentication: private_key_jwt`),
      "connectors[1].privateKey",
      "required when clientAuthentication is private_key_jwt",
    ],
    [
      "none has no secret",
      connector(`${KEYS}, clientAuthentication: none`),
      "connectors[1].oauthClientSecret",
      "stands beside clientAuthentication: none",
    ],
    [
      "a way with a secret needs it",
      connector(`${GITHUB}, oauthClientID: a, clientAuthentication: client_secret_post`),
      "connectors[1].oauthClientSecret",
      "required when clientAuthentication",
    ],
    [
      "a public client has PKCE",
      connector(`${GITHUB}, oauthClientID: a, disablePKCE: true`),
      "connectors[1].disablePKCE",
      "accepted: false for a client without a secret",
    ],
    [
      "MCP has PKCE",
      document({
        connectors: [oauth(`discover: true, ${CLIENT}, disablePKCE: true`)],
        apps: [proxy("a", "https://a.example/mcp")],
      }),
      "connectors[1].disablePKCE",
      "accepted: false with discover",
    ],
    [
      "66. a parameter cannot send the answer elsewhere",
      connector(`${KEYS}, authorizationParameters: {redirect_uri: "https://evil.example/"}`),
      "connectors[1].authorizationParameters.redirect_uri",
      "sets by itself",
    ],
    [
      "10. tokens travel by https",
      connector(KEYS.replace("https://github.com/login/oauth/access", "http://github.com/login/oauth/access")),
      "connectors[1].tokenURL",
      "accepted: an https URL, or http on localhost",
    ],
    [
      "a host that begins like loopback is none",
      connector(KEYS.replace("https://github.com/login/oauth/access", "http://localhost.evil.example/")),
      "connectors[1].tokenURL",
      "accepted: an https URL",
    ],
    [
      "the account is asked for by https",
      connector(`${KEYS}, account: {url: "http://github.com/user", id: id}`),
      "connectors[1].account.url",
      "accepted: an https URL",
    ],
    [
      "a request ends before the lease",
      connector(`${KEYS}, refresh: {timeout: 26s}`),
      "connectors[1].refresh.timeout",
      "at most 25s",
    ],
    [
      "the name is a part of the redirect URL",
      document({ connectors: [oauth(KEYS, '"git hub"')], apps: [] }),
      "connectors[1].name",
      "letters, digits",
    ],
    [
      "an unknown key is told its nearest",
      connector(`${KEYS}, tokenUrl: a`),
      "connectors[1].tokenUrl",
      'did you mean "tokenURL"?',
    ],
    [
      "a key of sign-in is none of it",
      connector(`${KEYS}, oidcWellKnownURL: "https://a.example/"`),
      "connectors[1].oidcWellKnownURL",
      "unknown key",
    ],
    [
      "an app needs a connector that is there",
      app("connector: gitlab"),
      "apps[0].authorization.outbound.userToken.connector",
      'did you mean "github"?',
    ],
    [
      "of its own type",
      app("connector: corp"),
      "apps[0].authorization.outbound.userToken.connector",
      "which is a connector that people sign in at; accepted: one of type oauth",
    ],
    [
      "nobody signs in at it",
      `${document({})}\nconsole: {enabled: true, connectors: [github]}`,
      "console.connectors[0]",
      "is a connector of type oauth: nobody signs in there",
    ],
    [
      "clients do not either",
      `${document({})}\noidcProvider: {region: us, registration: {idps: [github]}}`,
      "oidcProvider.registration.idps[0]",
      "nobody signs in there",
    ],
    [
      "nor does it exchange tokens",
      document({
        apps: [
          bridge().replace(
            "type: userToken, userToken: {connector: github}",
            "type: tokenExchange, tokenExchange: {idp: github, audience: a}",
          ),
        ],
      }),
      "apps[0].authorization.outbound.tokenExchange.idp",
      "nobody signs in there",
    ],
    [
      "the mapping is there",
      document({ apps: [bridge().replace(", userToken: {connector: github}", "")] }),
      "apps[0].authorization.outbound.userToken",
      "required with type: userToken",
    ],
    [
      "and no other",
      document({ apps: [bridge().replace("type: userToken", "type: unprotected")] }),
      "apps[0].authorization.outbound.userToken",
      "stands beside type: unprotected",
    ],
    [
      "a tool is there",
      app("connector: github, tools: [{name: getThings}]"),
      "apps[0].authorization.outbound.userToken.tools[0].name",
      'did you mean "getThing"?',
    ],
    [
      "a tool is named once",
      app("connector: github, tools: [{name: getThing}, {name: getThing}]"),
      "apps[0].authorization.outbound.userToken.tools[1].name",
      "stands above already",
    ],
    [
      "the token has a header of its own",
      app("connector: github", "upstream: {headers: {Authorization: x}},"),
      "apps[0].upstream.headers.Authorization",
      "stands beside type: userToken",
    ],
    [
      "the gateway knows people",
      document({}).replace("enabled: true\n      metadataPath", "enabled: false\n      metadataPath"),
      "apps[0].authorization.outbound.type",
      "needs to know the person who calls",
    ],
    ["tokens are sealed", document({ vault: "{}" }), "vault.keys", "required for apps with outbound.type: userToken"],
    ["a key has its length", document({ vault: "{keys: [AAAA]}" }), "vault.keys[0]", "found text; accepted: 32 bytes"],
    [
      "no longer one either",
      document({ vault: `{keys: [${"A".repeat(86)}]}` }),
      "vault.keys[0]",
      "found text; accepted: 32 bytes",
    ],
  ])("%s", async (_, text, path, message) => {
    const found = await mistakes(text);
    expect(found).toEqual([expect.stringContaining(` ${path}: `)]);
    expect(found[0]).toContain(message);
  });

  test("http on loopback is for trying it out", async () => {
    const keys = GITHUB.replaceAll("https://github.com", "http://127.0.0.1:8080");
    expect(await mistakes(document({ connectors: [oauth(`${keys}, ${CLIENT}`)] }))).toEqual([]);
  });

  test("placeholders are looked at when they are filled", async () => {
    const keys = `authorizationURL: "{{ env.AUTHORIZE }}", tokenURL: "{{ env.TOKEN }}", ${CLIENT}`;
    const text = document({ connectors: [oauth(keys)], vault: "{keys: [<vault.key>]}" });
    expect(await mistakes(text)).toEqual([]);
    const environment = { AUTHORIZE: "https://a.example/", TOKEN: "http://a.example/" };
    const secrets = { ...SECRETS.secrets, S_VAULT_KEY: "hunter2" };
    const found = await startMistakes(text, { environment, secrets });
    expect(found).toEqual([
      expect.stringContaining("connectors[1].tokenURL: found the value of {{ env.TOKEN }}; accepted: an https URL"),
      expect.stringContaining("vault.keys[0]: found the value of <vault.key>; accepted: 32 bytes"),
    ]);
    expect(found.join()).not.toContain("hunter2");
  });

  test("paths where people connect accounts are ours, where there are such apps", async () => {
    const at = (apps?: readonly string[]) =>
      document({ ...(apps && { apps }) }).replace("version: 1", "version: 1\nhealth: {location: /connect/health}");
    expect(await startMistakes(at(), SECRETS)).toEqual([
      expect.stringContaining("health.location: /connect/health belongs to connecting accounts"),
    ]);
    expect(await startMistakes(at([]), SECRETS)).toEqual([]);
    const web =
      '{name: pay, type: proxy, upstream: "https://pay.example", routePatterns: [/connect/pay], policies: [{location: /, authentication: {allowUnauthenticated: true}}]}';
    expect(await startMistakes(document({ apps: [bridge(), web] }), SECRETS)).toEqual([
      expect.stringContaining("apps[1].routePatterns[0]: /connect/pay belongs to connecting accounts"),
    ]);
  });

  test("on Workers and Lambda what agents keep of it is sealed with a secret of all instances", async () => {
    for (const runtime of ["workers", "lambda"] as const) {
      expect(await startMistakes(document({}), { ...SECRETS, runtime })).toEqual([
        expect.stringContaining(
          "mcpProvider.stateSecret: required on Workers and Lambda with an app with outbound.type: userToken",
        ),
      ]);
    }
  });

  test("a document that is whole needs no word, and what nobody uses gets one", async () => {
    expect(await warningsOf(document({}), SECRETS)).toEqual([]);
    expect(await warningsOf(document({ apps: [] }), SECRETS)).toEqual([
      "connectors[1]: accepted, without effect: no app names it in outbound.userToken",
      "vault: accepted, without effect: no app has outbound.type: userToken",
    ]);
  });

  test("a document that sends a person's token elsewhere is told of", async () => {
    const elsewhere = JSON.parse(OPENAPI);
    elsewhere.paths["/things"].get.servers = [{ url: "https://other.example" }];
    const result = await compileConfiguration(document({}), {
      file: "countersign.yaml",
      readDocument: async () => JSON.stringify(elsewhere),
    });
    if ("errors" in result) throw new Error("it does not compile");
    expect(await checkAhead(result.artifact, "node")).toEqual([
      expect.objectContaining({ message: expect.stringContaining("go to https://other.example with the credentials") }),
    ]);
  });

  test("who cannot sign in cannot connect", async () => {
    expect(await warningsOf(document({}).replace(`${SIGN_IN}, `, ""), SECRETS)).toEqual([
      "apps[0].authorization.outbound: nobody can connect an account: there is no connector to sign in at",
    ]);
  });

  test("the check before secrets are there takes the whole document", async () => {
    const artifact = await compiled(document({ vault: "{keys: [<vault.key-2>, <vault.key-1>]}" }));
    expect(await checkAhead(artifact, "node")).toEqual([]);
  });
});

describe("a web app that carries tokens of people's accounts", () => {
  test("asks every person for its scopes", async () => {
    const text = document({ apps: [web("connector: github, scopes: [a, b, a]")] });
    const { apps } = await configurationOf(text, SECRETS);
    expect(apps).toMatchObject([
      {
        type: "proxy",
        outbound: { type: "userToken", connector: "github", scopes: ["a", "b"], tools: [], perAgent: false },
      },
    ]);
  });

  test.each([
    [
      "without people",
      web(undefined, "", "{allowUnauthenticated: true}"),
      "apps[0].authorization.outbound.type: needs people who sign in, and no policy of the app lets them; accepted: a policy with authentication.idps",
    ],
    [
      "beside the client's own",
      web(undefined, "forwardAuthorization: true,"),
      "apps[0].forwardAuthorization: stands beside type: userToken, whose token goes into Authorization; accepted: one of the two",
    ],
    [
      "beside a header of the same name",
      web(undefined, "headers: [{name: authorization, value: x}],"),
      "apps[0].headers[0].name: stands beside type: userToken, whose token goes into it; accepted: one of the two",
    ],
    ["at a connector of people", web("connector: corp"), "apps[0].authorization.outbound.userToken.connector: "],
    ["for tools", web("connector: github, tools: []"), "apps[0].authorization.outbound.userToken.tools: "],
    ["for one agent", web("connector: github, perAgent: true"), "apps[0].authorization.outbound.userToken.perAgent: "],
  ])("is refused %s", async (_, app, message) => {
    expect((await mistakes(document({ apps: [app] }))).join("\n")).toContain(message);
  });

  test("is refused without a key of the vault", async () => {
    expect((await mistakes(document({ apps: [web()], vault: "{}" }))).join("\n")).toContain("vault.keys: required");
  });
});
