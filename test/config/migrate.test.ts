import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../infra/node/commands/migrate.ts";
import { migrate } from "../../lib/config/migrate.ts";
import { mistakes } from "./support.ts";

function migrated(text: string) {
  const result = migrate(text, "theirs.yaml");
  if ("errors" in result) throw new Error(result.errors.map(({ message }) => message).join("\n"));
  const short = ({ line, path, message }: (typeof result.done)[number]) => `${line}: ${path}: ${message}`;
  return { ...result, done: result.done.map(short), left: result.left.map(short) };
}

/** As an operator of a comparable product has it. */
const THEIRS = `# The provider of the lab.
version: 0.0.1
http:
  address: 0.0.0.0:9443 # behind the balancer
  readTimeoutSeconds: 30
features:
  experimental: true
session:
  cookie:
    name: maverics_session
  lifetime: {idleTimeout: 15m, maxTimeout: 8h}
  store:
    type: local
caches:
  - name: tokens
    type: redis
    encryption: {keys: {current: <redis.key>}}
connectors:
  # Where our people are.
  - name: corp
    type: okta
    oidcWellKnownURL: https://corp.example/.well-known/openid-configuration
    oauthClientID: "{{ env.CLIENT }}"
    oauthClientSecret: <corp.secret>
    oauthRedirectURL: https://auth.example/back
oidcProvider:
  correlateSession: true
  cache: tokens
  discovery:
    issuer: https://auth.example
    endpoints:
      wellKnown: https://auth.example/.well-known/oauth-authorization-server
  jwks:
    - algorithm: RSA256
      publicKey: <provider.public>
      privateKey: <provider.private>
apps:
  - name: agent
    type: oidc
    clientID: agent
    public: true
    authentication: {idps: [corp]}
    grantTypes:
      - authorization_code
      - password # for the old script
      - implicit_id
    redirectURLs: [https://agent.example/back]
    claimsMapping:
      email: corp.email
      sub: corp.sub
`;

const OURS = `# The provider of the lab.
version: 0.0.1
http:
  address: 0.0.0.0:9443 # behind the balancer
session:
  cookie: {}
  lifetime: {idleTimeout: 15m, maxTimeout: 8h}
connectors:
  # Where our people are.
  - name: corp
    type: oidc
    oidcWellKnownURL: https://corp.example/.well-known/openid-configuration
    oauthClientID: "{{ env.CLIENT }}"
    oauthClientSecret: <corp.secret>
    oauthLoginRedirect:
      urls:
        - https://auth.example/back
oidcProvider:
  discovery:
    issuer: https://auth.example
    endpoints:
      wellKnown: https://auth.example/.well-known/oauth-authorization-server
  jwks:
    - algorithm: RS256
      publicKey: <provider.public>
      privateKey: <provider.private>
apps:
  - name: agent
    type: oidc
    clientID: agent
    public: true
    authentication: {idps: [corp]}
    grantTypes:
      - authorization_code
    redirectURLs: [https://agent.example/back]
    claimsMapping:
      email: corp.email
`;

describe("a file of a comparable product", () => {
  test("becomes one of this product, with its comments and placeholders", async () => {
    const { text, done } = migrated(THEIRS);
    expect(text).toBe(OURS);
    expect(await mistakes(text)).toEqual([]);
    expect(done).toEqual([
      "5: http.readTimeoutSeconds: removed: the server has timeouts of its own",
      "6: features: removed: nothing here is turned on by it",
      "10: session.cookie.name: removed: the cookie is __Host-countersign with SameSite=Lax; people sign in once more",
      "12: session.store: removed: sessions live in the store, and any instance serves any session",
      "14: caches: removed: state lives in the store; no cache and none of its secrets is needed",
      "21: connectors[0].type: okta became oidc, with the same keys",
      "25: connectors[0].oauthRedirectURL: became oauthLoginRedirect.urls",
      "27: oidcProvider.correlateSession: removed: tokens belong to no session",
      "28: oidcProvider.cache: removed: state lives in the store",
      "34: oidcProvider.jwks[0].algorithm: RSA256 became RS256",
      "45: apps[0].grantTypes[1]: removed: password is not served to anybody",
      "46: apps[0].grantTypes[2]: removed: implicit_id is not served to anybody",
      "50: apps[0].claimsMapping.sub: removed: sub is this instance's own id of a person; idp_sub can be mapped from the same claim",
    ]);
  });

  test("has a word for what means something else", () => {
    expect(migrated(THEIRS).left).toEqual([
      expect.stringContaining("26: oidcProvider: a person's sub is user_… here and no longer <idp url>|<sub>"),
      expect.stringContaining("48: apps[0].claimsMapping: mapped claims are in access tokens here, too"),
    ]);
  });

  test("that was rewritten is left alone", () => {
    expect(migrated(OURS)).toMatchObject({ text: OURS, done: [] });
  });

  test("listens where it did when it says nothing", () => {
    for (const text of ["version: 1\n", "version: 1\nhttp:\n", "version: 1\nhttp: {tls: main}\n"]) {
      const { text: ours, done } = migrated(text);
      expect(ours).toContain("address: 0.0.0.0:9443");
      expect(done).toEqual([expect.stringContaining("http: http.address written down: 0.0.0.0:9443")]);
    }
  });

  test.each([
    ["an extension decides who gets in", "isAuthorizedSE: {funcName: F, file: f.go}"],
    ["rules decide who gets in", "authorization: {rules: [{and: []}]}"],
    ["sub comes from a claim of another", "claimsMapping: {sub: corp.email}"],
  ])("keeps what decides: %s", (_, keys) => {
    const text = `version: 1\nhttp: {address: ":9443"}\napps: [{name: a, type: oidc, ${keys}}]\n`;
    expect(migrated(text)).toMatchObject({ text, done: [] });
  });

  test.each([
    ["none", "", "oauthLoginRedirect: {urls: [u]}"],
    ["an empty one", "oauthLoginRedirect: {}", "oauthLoginRedirect: {urls: [u]}"],
    ["one without a value", "oauthLoginRedirect:", "oauthLoginRedirect: {urls: [u]}"],
    ["one with an empty list", "oauthLoginRedirect: {urls: []}", "oauthLoginRedirect: {urls: [u]}"],
    ["one that has precedence", "oauthLoginRedirect: {urls: [v, w]}", "oauthLoginRedirect: {urls: [v, w]}"],
    ["a placeholder", "oauthLoginRedirect: {{ env.R }}", undefined],
    ["a placeholder for the list", 'oauthLoginRedirect: {urls: "{{ env.R }}"}', undefined],
    ["a placeholder in the list", "oauthLoginRedirect: {urls: [<a.url>]}", undefined],
    ["one that others repeat", "oauthLoginRedirect: &r {urls: []}", undefined],
    ["one that is written elsewhere", "oauthLoginRedirect: *e", undefined],
  ])("brings people back where it did: oauthRedirectURL beside %s", (_, beside, expected) => {
    const head = 'version: 1\nhttp: {address: ":9443"}\nnotes: &e {urls: []}\n';
    const connector = (...keys: string[]) => `${head}connectors: [{${keys.filter((key) => key !== "").join(", ")}}]\n`;
    const { text, left } = migrated(connector("name: a", "oauthRedirectURL: u", beside));
    expect(text).toBe(
      expected === undefined ? connector("name: a", "oauthRedirectURL: u", beside) : connector("name: a", expected),
    );
    expect(left).toEqual(
      expected === undefined ? [expect.stringContaining("4: connectors[0].oauthRedirectURL: stays: ")] : [],
    );
  });

  test.each([
    ["an alias", "tls: &t {a: {certFile: x}}\nhttp: *t"],
    ["a placeholder", "http: {{ env.H }}"],
    ["text", "http: there"],
    ["what others repeat", "http: &h {tls: a}\nnotes: *h"],
    ["what a merge brings", "notes: &n {http: {tls: a}}\n<<: *n"],
  ])("keeps %s as http, with a word about the address", (_, keys) => {
    const text = `version: 1\n${keys}\n`;
    const line = keys.split("\n").findIndex((key) => key.startsWith("http")) + 2;
    expect(migrated(text)).toMatchObject({
      ...{
        text,
        done: [],
        left: [expect.stringContaining(`${Math.max(line, 1)}: http: http.address cannot be added`)],
      },
    });
  });

  test("keeps placeholders without quotes as they are written, wherever they stand", async () => {
    const text = `version: 1
http:
  publicURL: {{ env.PUB }} # ours
  address: {{env.HOST}}
store: {path: {{ env.PATH }}}
notes: [&one {{ env.A }}, *one, { { env.B } }]
`;
    expect(migrated(text)).toMatchObject({ text, withoutRefused: text, done: [], left: [] });
    const broken = text.replace("{{env.HOST}}", "{{\n    env.HOST }}");
    expect(migrated(broken).text).toBe(text.replace("{{env.HOST}}", "{{ env.HOST }}"));
  });

  test("keeps its header when its first key goes", () => {
    const rest = '# the second\nversion: 1\nhttp: {address: ":9443"}\n';
    const { text } = migrated(`# Owner: team X\nfeatures: {}\n\n${rest}`);
    expect(text).toBe(`# Owner: team X\n\n${rest}`);
  });

  test("keeps a name of the session's cookie of its own", () => {
    const text = 'version: 1\nhttp: {address: ":9443"}\nsession: {cookie: {name: corp_session}}\n';
    expect(migrated(text)).toMatchObject({ text, done: [] });
  });

  test("keeps what is merged, as it may mean something else beside other keys", () => {
    const text = `version: 1
http: {address: ":9443"}
oidcProvider:
  <<: &base {correlateSession: true}
connectors:
  - &one {name: a, type: okta, oauthRedirectURL: u}
  - <<: *one
    oauthLoginRedirect: {}
  - {<<: [*one], name: c}
`;
    expect(migrated(text)).toMatchObject({ text, done: [] });
  });

  test("is read for warnings without what is refused anyway", () => {
    const { withoutRefused, text } = migrated(
      "version: 1\nhttp: {address: ':9443'}\nsamlProvider: {a: b}\napps: [{name: a, loadAttrsSE: {file: f.go}}]\n",
    );
    expect(text).toMatch(/samlProvider[\s\S]*loadAttrsSE/);
    expect(withoutRefused).not.toMatch(/samlProvider|loadAttrsSE/);
  });

  test("may repeat parts by aliases: what others repeat stays, and what repeats others goes", () => {
    const text = `version: 1
http: { address: ":9443" }
caches: &shared
  - name: a
features: *shared
apps:
  - &one {name: a, grantTypes: [password, &grant refresh_token]}
  - *one
  - {name: b, grantTypes: [implicit_id, *grant]}
`;
    const { text: ours, done } = migrated(text);
    expect(done.map((line) => line.split(":", 2).join(":"))).toEqual([
      "5: features",
      "7: apps[0].grantTypes[0]",
      "9: apps[2].grantTypes[0]",
    ]);
    expect(ours).toContain("- *one");
    expect(ours).toContain("caches: &shared");
  });

  test.each(["", "a: [", "a: 1\n---\nb: 2", "a: &x [*x]", "a: !!binary x"])(
    "that is no document is told: %j",
    (text) => {
      expect(migrate(text, "theirs.yaml")).toEqual({ errors: [expect.objectContaining({ file: "theirs.yaml" })] });
    },
  );
});

test("the command prints the new file, and says what was done and what is left", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-migrate-"));
  const config = join(folder, "theirs.yaml");
  const minting = "authorization: {tokenMinting: {accessToken: {policies: [{name: p, rego: r}]}}}";
  const extension = "buildAccessTokenClaimsSE: {funcName: F, file: f.go}";
  writeFileSync(config, `${THEIRS}    ${minting}\n    ${extension}\n`);
  const output = { stdout: [] as string[], stderr: [] as string[] };
  const code = await run(["-config", config], {
    stdout: (text) => output.stdout.push(text),
    stderr: (text) => output.stderr.push(text),
    environment: {},
  });
  rmSync(folder, { recursive: true });
  expect(code).toBe(0);
  expect(output.stdout.join("").startsWith(OURS)).toBe(true);
  const lines = output.stderr.join("").trimEnd().split("\n");
  expect(lines.filter((line) => line.endsWith(" (done)"))).toHaveLength(13);
  expect(lines.filter((line) => line.startsWith("new file:"))).toEqual([
    expect.stringMatching(
      /^new file:39:5: apps\[0\]\.buildAccessTokenClaimsSE: unknown key; extensions in Go .* \(left\)$/,
    ),
    expect.stringMatching(/^new file:28:5: apps\[0\]: it gets no tokens: .*authorization\.tokenMinting\) \(left\)$/),
  ]);
  expect(lines.at(-1)).toBe(`${config}: 13 changes, 4 things left to look at`);
});
