import { expect, test } from "vitest";
import { hazardsOf } from "../../lib/deployment/guards.ts";

const oauth = (enabled: unknown) => ({ mcpProvider: { enabled: true, authorization: { oauth: { enabled } } } });
const overridable = (...kinds: readonly string[]) => ({ deployment: { overridable: kinds } });
const app = (fields: object) => ({ apps: [{ name: "notes", type: "mcpBridge", ...fields }] });
const inbound = (fields: object) => app({ authorization: { inbound: fields } });
const outbound = (type: unknown) => app({ authorization: { outbound: { type } } });
const web = (...policies: readonly object[]) => app({ type: "proxy", policies });
const EVERYBODY = { authentication: { allowUnauthenticated: true } };

test.each<readonly [what: string, from: unknown, to: unknown, words: readonly string[]]>([
  ["the Console goes", { console: { enabled: true } }, {}, ["no-console"]],
  ["the Console was off", {}, { console: { enabled: false } }, []],
  ["the Console is a matter of a variable", { console: { enabled: true } }, { console: { enabled: null } }, []],
  ["the last connector goes", { connectors: [{ name: "a", type: "oidc" }] }, { connectors: [] }, ["no-connectors"]],
  [
    "what is left is no place to sign in at",
    { connectors: [{ type: "oidc" }, { type: "oauth" }] },
    { connectors: [{ type: "oauth" }] },
    ["no-connectors"],
  ],
  ["one of two connectors goes", { connectors: [{}, {}] }, { connectors: [{}] }, []],
  ["organizations' policies go", overridable("limits", "policies"), overridable("limits"), ["no-overrides"]],
  ["organizations' limits go", overridable("limits", "policies"), overridable("policies"), []],
  [
    "an app is shared, for which there may be policies",
    { ...overridable("policies"), ...app({}) },
    { ...overridable("policies"), ...app({ shared: true }) },
    ["no-overrides"],
  ],
  [
    "an app was shared",
    { ...overridable("policies"), ...app({ shared: true }) },
    { ...overridable("policies"), ...app({ shared: true }) },
    [],
  ],
  ["an app is shared, for which there are no policies", app({}), app({ shared: true }), []],
  ["agents need no token any more", oauth(true), oauth(false), ["no-oauth"]],
  ["there is no gateway any more", oauth(true), { mcpProvider: { enabled: false } }, []],
  ["calls carry no token any more", outbound("tokenExchange"), outbound("unprotected"), ["open:notes"]],
  ["calls carried none before", outbound("unprotected"), outbound("unprotected"), []],
  ["every policy goes", inbound({ cel: "true", rules: [{ cel: "false" }] }), inbound({}), ["no-policies:notes"]],
  ["scopes stay", inbound({ cel: "true", tools: [{ name: "a" }] }), inbound({ tools: [{ name: "a" }] }), []],
  ["an approval was all", app({ tools: { rules: [{ approval: {} }] } }), app({ tools: {} }), ["no-policies:notes"]],
  ["the app goes", inbound({ cel: "true" }), { apps: [] }, []],
  ["the app is new", { apps: [] }, outbound("unprotected"), []],
  [
    "everybody sees a path",
    web({ location: "/" }),
    web({ location: "/" }, { location: "/a", ...EVERYBODY }),
    ["open:notes"],
  ],
  ["everybody saw it", web({ location: "/a", ...EVERYBODY }), web({ location: "/a", ...EVERYBODY }), []],
  [
    "several at once",
    { ...oauth(true), ...inbound({ opa: {} }), console: { enabled: true } },
    { ...oauth(undefined), ...inbound({}) },
    ["no-console", "no-oauth", "no-policies:notes"],
  ],
  ["documents of no shape", "text", { apps: [null, "a", { name: 1 }], connectors: {} }, []],
])("81. guards: %s", (_, from, to, words) => {
  expect(hazardsOf(from, to).map(({ word }) => word)).toEqual(words);
});
