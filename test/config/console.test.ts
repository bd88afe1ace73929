import { expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes, warningsOf } from "./support.ts";

test("the owner to recover is kept in lower case, as people are", async () => {
  const yaml = 'version: 1\nconsole: {setupToken: "sixteen characters", recoverOwner: " Ada@Example.com"}';
  expect((await configurationOf(yaml)).console.recoverOwner).toBe("ada@example.com");
});

test("an owner can only be recovered with a setup token", async () => {
  expect(await mistakes("version: 1\nconsole: {recoverOwner: ada@example.com}")).toEqual([
    expect.stringContaining("console.recoverOwner: needs console.setupToken"),
  ]);
  expect(await mistakes("version: 1\nconsole: {recoverOwner: ada@example.com, setupToken: <a.b>}")).toEqual([]);
});

test("whom to recover is an e-mail address", async () => {
  expect(await mistakes('version: 1\nconsole: {setupToken: "sixteen characters", recoverOwner: ada}')).toEqual([
    expect.stringContaining("console.recoverOwner: found"),
  ]);
});

test("connectors of the console are connectors of the document", async () => {
  const corporate =
    'connectors: [{name: corporate, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://a.example/"}]';
  const text = (name: string) => `version: 1\n${corporate}\nconsole: {connectors: [${name}]}`;
  expect(await mistakes(text("corporat"))).toEqual([
    expect.stringContaining(
      'console.connectors[0]: found "corporat", which is not the name of a connector; did you mean',
    ),
  ]);
  expect(await mistakes("version: 1\nconsole: {connectors: [corporate]}")).toHaveLength(1);
  expect(await warningsOf(text("corporate"))).toEqual([]);
  expect((await configurationOf(text("corporate"))).console.connectors).toEqual(["corporate"]);
});

test("a connector whose name is not known yet may be the one that is meant", async () => {
  const corporate =
    'connectors: [{name: "{{ env.NAME }}", type: oidc, oauthClientID: a, oidcWellKnownURL: "https://a.example/"}]';
  const text = `version: 1\n${corporate}\nconsole: {connectors: [corporate]}`;
  expect(await mistakes(text)).toEqual([]);
  expect(await startMistakes(text, { environment: { NAME: "another" } })).toEqual([
    expect.stringContaining('console.connectors[0]: found "corporate", which is not the name of a connector'),
  ]);
});

test("passkeys are on unless they are turned off", async () => {
  expect((await configurationOf("version: 1")).console.passkeys).toBe(true);
  expect((await configurationOf("version: 1\nconsole: {passkeys: false}")).console.passkeys).toBe(false);
});

test("the documentation is a URL that pages are put behind, or is not there", async () => {
  const documented = (url: string) => `version: 1\nconsole: {documentationURL: "${url}"}`;
  expect((await configurationOf(documented("https://docs.example/v1/"))).console.documentationURL).toBe(
    "https://docs.example/v1",
  );
  expect((await configurationOf("version: 1")).console.documentationURL).toBeUndefined();
  for (const url of ["javascript:alert(1)", "/docs", "https://docs.example/?v=1", "https://docs.example/#top"]) {
    expect(await mistakes(documented(url))).toEqual([expect.stringContaining("console.documentationURL: found")]);
  }
});

test("Consoles of other regions are URLs by region", async () => {
  const yaml = 'version: 1\nconsole: {regions: {uk: "https://uk.example/"}}';
  expect((await configurationOf(yaml)).console.regions).toEqual([{ region: "uk", url: "https://uk.example" }]);
  expect(await mistakes("version: 1\nconsole: {regions: {uk: nowhere}}")).toEqual([
    expect.stringContaining("console.regions.uk: found"),
  ]);
});

test("the URL of a trace has its id behind the host", async () => {
  const traceURL = "https://tracing.example:8443/explore?left=%7B%7D#trace={traceId}";
  expect((await configurationOf(`version: 1\nconsole: {traceURL: "${traceURL}"}`)).console.traceURL).toBe(traceURL);
  expect((await configurationOf("version: 1")).console.traceURL).toBeUndefined();
  for (const refused of [
    "https://tracing.example/trace",
    "https://{traceId}.example/",
    "https://tracing.example@{traceId}/",
    "https://ada:secret@tracing.example/{traceId}",
    "javascript:alert('{traceId}')",
    "{traceId}",
    "tracing.example/{traceId}",
  ])
    expect([refused, await mistakes(`version: 1\nconsole: {traceURL: "${refused}"}`)]).toEqual([
      refused,
      [expect.stringMatching(/^.*console\.traceURL: found .*with \{traceId\} behind its host$/)],
    ]);
});

test("scopes of a connector are of use where people come into the Console through it", async () => {
  const corporate =
    'connectors: [{name: corporate, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://a.example/", scopes: [openid]}]';
  expect(await warningsOf(`version: 1\n${corporate}`)).toEqual([expect.stringContaining("connectors[0].scopes")]);
  expect(await warningsOf(`version: 1\n${corporate}\nconsole: {connectors: [corporate]}`)).toEqual([]);
});

test.each(["https://c.example/x?y", "https://c.example/?", "https://c.example/#y", "https://c.example/#"])(
  "a Console is no %s, behind which no path can be put",
  async (url) => {
    const accepted = "accepted: an absolute http or https URL without user name, password, query or fragment";
    expect(await mistakes(`version: 1\nconsole: {baseURL: "${url}", regions: {uk: "${url}"}}`)).toEqual([
      expect.stringMatching(new RegExp(`console.baseURL: found .*; ${accepted}$`)),
      expect.stringMatching(new RegExp(`console.regions.uk: found .*; ${accepted}$`)),
    ]);
  },
);
