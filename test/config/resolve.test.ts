import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compiled, configurationOf, mistakes, OPENAPI, resolved, startMistakes, warningsOf } from "./support.ts";

const MINIMAL = 'version: "1"\n';
const OIDC = `${MINIMAL}oidcProvider: {region: us}\n`;

const gateway = (audiences: string, url = "https://gw.example") => `${MINIMAL}http: {publicURL: "${url}"}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - {wellKnownEndpoint: "https://as.example/x", tokenValidation: {expectedAudiences: ${audiences}}}
`;

describe("defaults", () => {
  test("the smallest document serves health on port 8080 of this machine", async () => {
    expect(await configurationOf(MINIMAL)).toEqual({
      version: "1",
      publicURL: "http://127.0.0.1:8080",
      http: {
        host: "127.0.0.1",
        port: 8080,
        accessLog: { disabled: false, level: "info" },
        hosts: [],
        trustedProxies: [],
        workers: 1,
      },
      tls: {},
      health: { location: "/status", heartbeat: { disabled: false, level: "info", interval: 60_000 } },
      logger: {
        level: "info",
        jsonOutput: false,
        timeFormat: "RFC3339Nano",
        logSessionID: false,
        fieldOrdering: false,
      },
      connectors: [],
      store: { path: "./data" },
      ...{ auditWebRequests: "denied", oauthConnectors: [], signals: [], webhooks: [], vaultKeys: [] },
      console: {
        ...{ enabled: false, baseURL: "http://127.0.0.1:8080", passkeys: true, connectors: [], regions: [] },
        playground: true,
      },
      session: { cookieName: "__Host-countersign", maxTimeout: 43_200_000, idleTimeout: 3_600_000 },
      limits: [],
      apps: [],
    });
  });

  test("issuer and endpoints derive from the public URL", async () => {
    const { oidcProvider } = await configurationOf(`${OIDC}http: {publicURL: "https://us.example/"}`);
    expect(oidcProvider).toEqual({
      issuer: "https://us.example",
      region: "us",
      endpoints: {
        wellKnown: "https://us.example/.well-known/openid-configuration",
        authorize: "https://us.example/oauth2/authorize",
        jwks: "https://us.example/oauth2/jwks",
        token: "https://us.example/oauth2/token",
        introspect: "https://us.example/oauth2/introspect",
        revoke: "https://us.example/oauth2/revoke",
        userinfo: "https://us.example/oauth2/userinfo",
        registration: "https://us.example/oauth2/register",
        callback: "https://us.example/oauth2/callback",
        endSession: "https://us.example/oauth2/logout",
      },
      assertion: { audience: "any", maxLifetime: 3_600_000, clockSkew: 30_000 },
      apiClients: { enabled: true, accessTokenLifetime: 3_600_000 },
      publicKeys: [],
      signingKeys: [],
      registration: {
        dynamic: false,
        clientIDMetadata: true,
        connectors: [],
        allowedAudiences: [],
        scopes: ["openid", "profile", "email", "offline_access"],
        defaultScopes: [],
        claimsMapping: {},
        accessToken: { type: "jwt", lifetime: 3_600_000 },
      },
      grantLifetime: 2_592_000_000,
      scopeDescriptions: {},
    });
  });

  test("the public URL derives from the issuer where nothing else tells it", async () => {
    const provider = 'oidcProvider: {region: us, discovery: {issuer: "https://auth.example/us"}}';
    const { publicURL, console } = await configurationOf(`${MINIMAL}http: {address: ":9443"}\n${provider}`);
    expect([publicURL, console.baseURL]).toEqual(["https://auth.example", "https://auth.example"]);
    const written = `${MINIMAL}http: {publicURL: "https://gw.example"}\n${provider}`;
    expect((await configurationOf(written)).publicURL).toBe("https://gw.example");
  });

  test("the gateway's defaults", async () => {
    const { mcpProvider } = await configurationOf(gateway("[https://gw.example/mcp]"));
    expect(mcpProvider).toMatchObject({
      serverName: "Countersign AI Identity Gateway",
      stream: { path: "/mcp", resource: "https://gw.example/mcp" },
      allowedOrigins: ["https://gw.example"],
      allowedHosts: ["gw.example"],
      oauth: { servers: [{ method: "jwt", clockSkew: 0, refreshInterval: 86_400_000 }] },
    });
  });

  test("a gateway that is off is absent", async () => {
    expect((await configurationOf(`${MINIMAL}mcpProvider: {enabled: false}`)).mcpProvider).toBeUndefined();
  });

  test.each([
    ["127.0.0.1:9000", "127.0.0.1", "http://127.0.0.1:9000"],
    [":9000", "::", "http://localhost:9000"],
    ["0.0.0.0:9000", "0.0.0.0", "http://localhost:9000"],
    ["[::1]:9000", "::1", "http://[::1]:9000"],
  ])("the address %s listens on %s and is reached at %s", async (address, host, publicURL) => {
    const configuration = await configurationOf(`${MINIMAL}http: {address: "${address}"}`);
    expect(configuration).toMatchObject({ http: { host, port: 9000 }, publicURL });
  });

  test.each([
    "256.1.1.1:18080",
    "-:80",
    "my_host:80",
    "a-:80",
    "[1.2.3.4]:80",
    "[::1:80",
    "a..b:80",
    "a b:80",
    "a:65536",
  ])("the address %s is refused where it stands", async (address) => {
    await expect(compiled(`${MINIMAL}http: {address: "${address}"}`)).rejects.toThrow(/2:17: http.address: found "/);
  });

  test("37. any address ends in a configuration or in a mistake", async () => {
    const addressLike = fc.stringMatching(/^[-_.:[\]@/a-c0-9]{0,14}:[0-9]{1,5}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          addressLike,
          fc.ipV4().map((ip) => `${ip}:80`),
          fc.ipV6().map((ip) => `[${ip}]:80`),
        ),
        async (address) => {
          const found = await mistakes(`${MINIMAL}http: {address: ${JSON.stringify(address)}}`);
          if (found.length === 0) await startMistakes(`${MINIMAL}http: {address: ${JSON.stringify(address)}}`);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("the upstream's URL comes from the OpenAPI document when the app has none", async () => {
    const app = (extra: string) =>
      `${MINIMAL}apps: [{name: a, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}${extra}}}]`;
    expect((await configurationOf(app(""))).apps).toMatchObject([
      { baseURL: "https://things.example/v1", timeout: 30_000 },
    ]);
    expect((await configurationOf(app(', baseURL: "http://b.example/"'))).apps).toMatchObject([
      { baseURL: "http://b.example" },
    ]);
  });

  test("an inline OpenAPI document is compiled and left out of the artifact", async () => {
    const artifact = await compiled(
      `${MINIMAL}apps: [{name: a, type: mcpBridge, openapi: {spec: {data: ${JSON.stringify(OPENAPI)}}}}]`,
    );
    expect(artifact.catalogs.a?.tools.map((tool) => tool.name)).toEqual(["a_getThing"]);
    expect(JSON.stringify(artifact.document)).not.toContain("openapi\\");
    expect(artifact.document).toMatchObject({ apps: [{ openapi: { baseURL: "https://things.example/v1" } }] });
  });
});

describe("placeholders", () => {
  test("text, numbers and booleans are filled where the document wants them", async () => {
    const text = `version: "{{ env.V }}"
http: {accessLog: {disabled: "{{ env.QUIET }}"}, publicURL: "https://{{ env.HOST }}:{{ env.PORT }}"}
console: {setupToken: <countersign.setup-token>}
`;
    const configuration = await configurationOf(text, {
      environment: { V: "7", QUIET: "true", HOST: "a.example", PORT: "8443" },
      secrets: { S_COUNTERSIGN_SETUP_TOKEN: "sixteen characters" },
    });
    expect(configuration).toMatchObject({
      version: "7",
      publicURL: "https://a.example:8443",
      http: { accessLog: { disabled: true } },
      console: { setupToken: "sixteen characters" },
    });
  });

  test("a value never adds structure, whatever it looks like", async () => {
    const evil = 'x\n  path: /evil\n"}: [<a.b>] {{ env.OTHER }}';
    const found = await startMistakes(`${MINIMAL}store: {path: "{{ env.EVIL }}"}`, { environment: { EVIL: evil } });
    expect(found).toEqual([
      expect.stringContaining("store.path: found the value of {{ env.EVIL }}; accepted: a folder"),
    ]);

    const name = "{{ env.OTHER }} <a.b> {a: [1]}";
    const configuration = await configurationOf(`${MINIMAL}store: {path: "{{ env.NAME }}"}`, {
      environment: { NAME: name },
    });
    expect(configuration.store).toEqual({ path: name });
  });

  test("a placeholder cannot stand for a mapping or a list", async () => {
    await expect(compiled(`${MINIMAL}logger: "{{ env.A }}"\napps: "{{ env.B }}"`)).rejects.toThrow(
      /2:9: logger: found {{ env.A }}; accepted: a mapping of keys\n.*3:7: apps: found {{ env.B }}; accepted: a list/,
    );
  });

  test("unset variables and missing secrets are reported together, with other mistakes", async () => {
    const text = `${MINIMAL}logger: {level: "{{ env.LEVEL }}"}\nstore: {path: "{{ env.NOWHERE }}"}\nconsole: {setupToken: <a.b>}`;
    expect(await startMistakes(text, { environment: { LEVEL: "loud" } })).toEqual([
      "2:17: logger.level: found the value of {{ env.LEVEL }}; accepted: debug, info, warn, error",
      "3:15: store.path: the environment variable NOWHERE is not set",
      "4:23: console.setupToken: the secret <a.b> is not set: env has no variable S_A_B",
    ]);
  });

  test("names of the prototype are no variables", async () => {
    expect(await startMistakes(`${MINIMAL}store: {path: "{{ env.constructor }}"}`)).toEqual([
      expect.stringContaining("the environment variable constructor is not set"),
    ]);
  });

  test("10. neither errors nor warnings hold the value of a secret or of a variable", async () => {
    const text = `${MINIMAL}logger: {level: <a.level>, jsonOutput: "{{ env.J }}"}\nhttp: {publicURL: <a.url>}
oidcProvider: {region: <a.region>, discovery: {issuer: <a.issuer>}, apiClients: {idSecret: <a.id>}}`;
    const names = ["LEVEL", "URL", "REGION", "ISSUER", "ID"];
    const secrets = Object.fromEntries(names.map((name) => [`S_A_${name}`, "hunter2-hunter2"]));
    const found = await startMistakes(text, { secrets, environment: { J: "hunter2" } });
    expect(found).toHaveLength(6);
    expect(found.join()).not.toContain("hunter2");
  });
});

describe("values of placeholders stay out of messages about what is made of them", () => {
  const hidden = "hunter2.example";
  const secrets = {
    S_A_URL: `https://${hidden}`,
    S_A_ISSUER: `https://${hidden}/hunter2`,
    S_A_PATH: "/hunter2",
    S_A_MAX: "2222h",
  };

  test("10. the public URL and the stream's path in the MCP URL", async () => {
    const text = gateway("[other]").replace('"https://gw.example"', "<a.url>");
    expect(await startMistakes(text, { secrets })).toEqual([
      expect.stringContaining("every server expects; accepted: a list with <a.url>/mcp"),
    ]);
    for (const key of ["path", "endpointPath"]) {
      const found = await startMistakes(gateway("[other]").replace("path: /mcp", `${key}: <a.path>`), { secrets });
      expect(found).toEqual([expect.stringContaining("accepted: a list with https://gw.example<a.path>")]);
    }
  });

  test("10. the issuer as the origin of the endpoints and in their paths", async () => {
    const discovery = (keys: string) =>
      `oidcProvider: {region: us, discovery: {${keys}endpoints: {token: "https://b.example/t"}}}`;
    for (const [text, origin] of [
      [discovery("issuer: <a.issuer>, "), "<a.issuer>"],
      [`http: {publicURL: <a.url>}\n${discovery("")}`, "<a.url>"],
    ] as const) {
      expect(await startMistakes(`${MINIMAL}${text}`, { secrets })).toEqual([
        expect.stringMatching(`endpoints.token: found another origin; accepted: one of ${origin}$`),
      ]);
    }
    const health = "health: {location: /hunter2/oauth2/token}";
    const clash = `${MINIMAL}${health}\noidcProvider: {region: us, discovery: {issuer: <a.issuer>}}`;
    expect(await startMistakes(clash, { secrets })).toEqual([
      "3:39: oidcProvider.discovery.endpoints.token: its path belongs to health.location; accepted: a path of its own",
    ]);
  });

  test("10. durations and paths", async () => {
    const text = `${MINIMAL}health: {location: <a.path>}
session: {lifetime: {idleTimeout: "{{ env.LONG }}", maxTimeout: <a.max>}}
mcpProvider: {enabled: true, transports: {sse: {keepAlive: {enabled: true, interval: "{{ env.NONE }}"}}}}`;
    const found = await startMistakes(text, { secrets, environment: { LONG: "7777h", NONE: "0000s" } });
    expect(found).toHaveLength(2);
    expect(found.join()).not.toMatch(/7777|2222|0000|hunter2/);
  });
});

describe("rules that need the values", () => {
  test.each(["workers", "lambda"] as const)(
    "the public URL and the client id secret are required on %s",
    async (runtime) => {
      expect(await startMistakes(OIDC, { runtime })).toEqual([
        expect.stringContaining("http.publicURL: required on Workers and Lambda"),
        expect.stringContaining("oidcProvider.apiClients.idSecret: required on Workers and Lambda"),
      ]);
    },
  );

  test.each([
    "https://a.example/path",
    "https://a.example?x=1",
    "https://a.example#x",
    "https://u:p@a.example",
    "ftp://a.example",
    "a.example",
    "https://a.example//",
  ])("the public URL %s is refused", async (url) => {
    await expect(compiled(`${MINIMAL}http: {publicURL: "${url}"}`)).rejects.toThrow(/http.publicURL: found/);
  });

  test("D28: the resource is the MCP URL or an expected audience that is its prefix", async () => {
    const resource = async (audiences: string) =>
      (await configurationOf(gateway(audiences))).mcpProvider?.stream?.resource;
    expect(await resource("[https://gw.example/mcp, https://gw.example]")).toBe("https://gw.example/mcp");
    expect(await resource("[other, https://gw.example/]")).toBe("https://gw.example/");
    expect(await resource("[https://gw.example, https://gw.example/mcp/]")).toBe("https://gw.example/mcp/");
  });

  test.each(["[api]", "[https://gw.example/mc]", "[https://other.example]", "[http://gw.example/mcp]"])(
    "D28: %s fits no resource and is refused",
    async (audiences) => {
      expect(await startMistakes(gateway(audiences))).toEqual([
        expect.stringContaining("accepted: a list with https://gw.example/mcp"),
      ]);
    },
  );

  test("endpoints stay on the issuer's origin and on paths of their own", async () => {
    const endpoints = (keys: string) =>
      `${OIDC}http: {publicURL: "https://a.example"}\nhealth: {location: /oauth2/jwks}
`.replace("{region: us}", `{region: us, discovery: {endpoints: {${keys}}}}`);
    expect(await startMistakes(endpoints('token: "https://b.example/t"'))).toEqual([
      expect.stringContaining("endpoints.jwks: /oauth2/jwks belongs to health.location"),
      expect.stringContaining("endpoints.token: found another origin; accepted: one of https://a.example"),
    ]);
    expect(await startMistakes(endpoints('jwks: "https://a.example/:id*"'))).toContainEqual(
      expect.stringContaining("endpoints.jwks: found a query or special characters"),
    );
  });

  test("no endpoint takes a path that a standard gives to a document", async () => {
    const healthAt = (text: string, location: string) => startMistakes(`${text}health: {location: ${location}}\n`);
    expect(await healthAt(OIDC, "/.well-known/oauth-authorization-server")).toEqual([
      expect.stringContaining("health.location: /.well-known/oauth-authorization-server belongs to the authorization"),
    ]);
    expect(await healthAt(gateway("[https://gw.example/mcp]"), "/.well-known/oauth-protected-resource/mcp")).toEqual([
      expect.stringContaining("health.location: /.well-known/oauth-protected-resource/mcp belongs to the protected"),
    ]);
    expect(await healthAt(OIDC, "/oauth2/authorize/consent")).toEqual([
      expect.stringContaining("health.location: /oauth2/authorize/consent belongs to the consent page"),
    ]);
    expect(await healthAt(OIDC, "/oauth2/authorize")).toEqual([
      expect.stringContaining("endpoints.auth: /oauth2/authorize belongs to health.location"),
    ]);
  });

  test("a document may be configured at the very path that its standard gives it", async () => {
    const wellKnown = "http://127.0.0.1:8080/.well-known/oauth-authorization-server";
    const provider = OIDC.replace("{region: us}", `{region: us, discovery: {endpoints: {wellKnown: "${wellKnown}"}}}`);
    expect(await startMistakes(provider)).toEqual([]);
    const alias = gateway("[https://gw.example/mcp]").replace(
      "oauth-protected-resource",
      "oauth-protected-resource/mcp",
    );
    expect(await startMistakes(alias)).toEqual([]);
  });

  test("the authorization endpoint moves by endpoints.auth", async () => {
    const auth = "http://127.0.0.1:8080/elsewhere";
    const text = OIDC.replace("{region: us}", `{region: us, discovery: {endpoints: {auth: "${auth}"}}}`);
    expect((await configurationOf(text)).oidcProvider?.endpoints.authorize).toBe(auth);
    expect((await resolved(text)).warnings).toEqual([]);
  });

  test("an issuer with a path keeps its endpoints below it", async () => {
    const text = OIDC.replace("{region: us}", '{region: us, discovery: {issuer: "http://127.0.0.1:8080/us"}}');
    expect((await configurationOf(text)).oidcProvider?.endpoints.token).toBe("http://127.0.0.1:8080/us/oauth2/token");
    expect(await startMistakes(text.replace("/us", "/us/"))).toEqual([expect.stringContaining("discovery.issuer")]);
  });

  test("an artifact of another format is refused", async () => {
    const artifact = { ...(await compiled(MINIMAL)), format: 2 as number as 1 };
    const { resolveConfiguration } = await import("../../lib/config/resolve.ts");
    const secrets = { get: async () => "" };
    await expect(resolveConfiguration(artifact, { environment: {}, secrets, runtime: "node" })).rejects.toThrow(
      "found artifact format 2; accepted: 1",
    );
  });
});

describe("warnings", () => {
  test("a plain document has none", async () => {
    expect(await warningsOf(MINIMAL)).toEqual([]);
  });

  test("keys without effect are named once each", async () => {
    const text = `${MINIMAL}caches: [{name: a, type: redis}]
audit: {delivery: background}`;
    expect(await warningsOf(text)).toEqual([
      "caches: accepted, without effect: state lives in the runtime's store",
      "audit.delivery: accepted, without effect: every call waits for its audit record",
    ]);
  });

  test("a gateway without OAuth has callers without identity", async () => {
    const text = `${MINIMAL}mcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp}}}`;
    expect(await warningsOf(text)).toEqual([expect.stringContaining("callers have no identity")]);
  });

  test("Bridge tools that need no scope are counted once for each app", async () => {
    const app = (name: string, inbound: string) =>
      `{name: ${name}, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}, authorization: {inbound: {${inbound}}}}`;
    const apps = (...list: string[]) => `${gateway("[https://gw.example/mcp]")}apps: [${list.join(", ")}]\n`;
    const scoped = app("closed", "tools: [{name: getThing, scopes: [a]}]");
    expect(
      await warningsOf(apps(scoped, app("open", ""), app("empty", "tools: [{name: getThing, scopes: []}]"))),
    ).toEqual(
      ["open", "empty"].map(
        (name, index) =>
          `apps[${index + 1}].authorization.inbound: 1 of 1 tool of the app ${name} need no scope: every authenticated agent may call them`,
      ),
    );
    expect(await warningsOf(apps(scoped))).toEqual([]);
  });

  test("the listen address means nothing on Workers", async () => {
    const text = `${MINIMAL}http: {address: ":80", publicURL: "https://a.example"}`;
    expect(await warningsOf(text, { runtime: "workers" })).toEqual([
      expect.stringContaining("http.address: without effect"),
    ]);
    expect(await warningsOf(text)).toEqual([]);
  });

  test("plain HTTP for other machines is pointed out", async () => {
    expect(await warningsOf(`${MINIMAL}http: {publicURL: "http://a.example"}`)).toEqual([
      expect.stringContaining("tokens travel unprotected"),
    ]);
  });
});
