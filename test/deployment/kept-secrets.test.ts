import { expect, test } from "vitest";
import { withKeptSecrets } from "../../lib/deployment/kept-secrets.ts";

const written = (document: object) => ({ document, placeholders: [] });
const app = (name: string, key: string, more = {}) => ({ name, upstream: { headers: { "X-Key": key } }, ...more });
const server = (url: string, clientSecret: string) => ({
  wellKnownEndpoint: url,
  tokenValidation: { introspection: { clientSecret } },
});
const servers = (...list: readonly object[]) => ({ mcpProvider: { authorization: { oauth: { servers: list } } } });
const client = (...secrets: readonly string[]) => ({ apps: [{ name: "ci", credentials: { secrets } }] });
const HIDDEN = "(a secret)";

test.each([
  ["where it stood", { apps: [app("a", "one")] }, { apps: [app("a", HIDDEN)] }, { apps: [app("a", "one")] }],
  [
    "by the name of its entry",
    { apps: [app("a", "one"), app("b", "two")] },
    { apps: [app("c", "new"), app("b", HIDDEN), app("a", HIDDEN, { type: "mcpBridge" })] },
    { apps: [app("c", "new"), app("b", "two"), app("a", "one", { type: "mcpBridge" })] },
  ],
  [
    "in the one section of a list without names",
    servers(server("https://a.example", "one")),
    servers(server("https://b.example", HIDDEN)),
    servers(server("https://b.example", "one")),
  ],
  [
    "in one of several that is as before",
    servers(server("https://a.example", "one"), server("https://b.example", "two")),
    servers(server("https://a.example", HIDDEN), server("https://b.example", "other")),
    servers(server("https://a.example", "one"), server("https://b.example", "other")),
  ],
  ["in a list of secrets", client("one", "two"), client(HIDDEN, "three"), client("one", "three")],
])("a secret that was not shown is kept %s", (_, before, after, kept) => {
  expect(withKeptSecrets(written(after), written(before))).toEqual({ artifact: written(kept) });
});

test.each([
  ["a new app", { apps: [app("a", "one")] }, { apps: [app("b", HIDDEN)] }, ["apps[0].upstream.headers.X-Key"]],
  [
    "an app of a name that two have",
    { apps: [app("a", "one"), app("a", "two")] },
    { apps: [app("a", HIDDEN)] },
    ["apps[0].upstream.headers.X-Key"],
  ],
  [
    "another key",
    { apps: [app("a", "one")] },
    { apps: [{ ...app("a", "x"), description: HIDDEN }] },
    ["apps[0].description"],
  ],
  [
    "sections that were exchanged",
    servers(server("https://a.example", "one"), server("https://b.example", "two")),
    servers(server("https://b.example", HIDDEN), server("https://a.example", "two")),
    ["mcpProvider.authorization.oauth.servers[0].tokenValidation.introspection.clientSecret"],
  ],
  ["a list with fewer secrets", client("one", "two"), client(HIDDEN), ["apps[0].credentials.secrets[0]"]],
  ["nothing that is in use", {}, { console: { setupToken: HIDDEN } }, ["console.setupToken"]],
])("and it is refused in %s", (_, before, after, unknown) => {
  expect(withKeptSecrets(written(after), written(before))).toEqual({ unknown });
});

test("a reference is no secret to keep", () => {
  const former = {
    document: { console: { setupToken: null } },
    placeholders: [{ path: ["console", "setupToken"], parts: [{ secret: "a.b" }], line: 1, column: 1 }],
  };
  const after = written({ console: { setupToken: HIDDEN } });
  expect(withKeptSecrets(after, former)).toEqual({ unknown: ["console.setupToken"] });
});
