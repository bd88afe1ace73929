import { describe, expect, test } from "vitest";
import type { Identity, PersonIdentity } from "../../lib/gateway/identity.ts";
import { stopOfCaller, stopOfIdentity } from "../../lib/gateway/stopped.ts";
import { unknownTarget } from "../../lib/stops/targets.ts";
import { personId } from "../../lib/stores/identities.ts";
import { indexStops } from "../../lib/stores/stop-subjects.ts";
import type { Stop, StopTarget } from "../../lib/stores/stops.ts";
import { webApp } from "../support/web-app.ts";

const OWN = "https://own.example";
const THEIR = "https://idp.example";
const AT = 1_900_000_000_000;
const HOUR = 3_600_000;

function suspended(target: Stop["target"], fields: Partial<Stop> = {}) {
  return indexStops([{ stopId: "stop_1", target, state: "suspended", at: AT, reason: "", by: "user_1", ...fields }]);
}

/** A token of another server. */
const THEIRS: Identity = {
  user: { sub: "ada" },
  agent: { clientID: "some-agent" },
  issuer: THEIR,
  scopes: [],
  actChain: [],
  issuedAt: AT - 1,
  expiresAt: AT + HOUR,
};
/** A token of this region, that was exchanged without naming who began the chain. */
const OURS: Identity = {
  ...THEIRS,
  user: { sub: "user_account" },
  issuer: OWN,
  record: {
    clientId: "some-agent",
    apiClientId: "client_first",
    apiClientKeyPairId: "key_leaked",
    memberId: "user_member",
    subject: "user_account",
    issuedAt: AT - 1,
  },
};

const account = { issuer: THEIR, subject: "ada" };
/** A person without an agent. */
const VISITOR: PersonIdentity = {
  user: { sub: personId(account) },
  ...{ issuer: OWN, memberId: "user_member", scopes: [], actChain: [], issuedAt: AT - 1, expiresAt: AT + HOUR },
};
const ada = { kind: "person", id: "ada", issuer: THEIR } as const;

test.each([
  ["the name at their server", THEIRS, ada, {}, true],
  ["an issuer without its last slash", { ...THEIRS, issuer: `${THEIR}/` }, ada, {}, true],
  ["the name that this region gives to the account", THEIRS, { kind: "person", id: personId(account) }, {}, true],
  ["an account that is linked", THEIRS, { kind: "person", id: "user_member" }, { accounts: [account] }, true],
  ["a member of the directory", OURS, { kind: "person", id: "user_member" }, {}, true],
  ["the key pair that began the chain", OURS, { kind: "key_pair", id: "key_leaked" }, {}, true],
  ["the API client that began the chain", OURS, { kind: "api_client", id: "client_first" }, {}, true],
  ["a member who asks by a browser", VISITOR, { kind: "person", id: "user_member" }, {}, true],
  ["the account of somebody who asks by a browser", VISITOR, { kind: "person", id: personId(account) }, {}, true],
  ["that account by its own server's name", VISITOR, ada, {}, true],
  ["an agent, of somebody who asks by a browser", VISITOR, { kind: "agent", id: "some-agent" }, {}, false],
  ["another person, of somebody who asks by a browser", VISITOR, { kind: "person", id: "ada" }, {}, false],
  ["somebody of the same name at another server", THEIRS, { ...ada, issuer: "https://else.example" }, {}, false],
  ["somebody of the same name in this region", THEIRS, { kind: "person", id: "ada" }, {}, false],
] as const)("52. a stop holds by %s: %j", (_, identity, target, fields, holds) => {
  expect(stopOfIdentity(suspended(target, fields), identity, OWN) !== undefined).toBe(holds);
});

test("52. an actor of this region in a token of another server is stopped by its own name", () => {
  const acting = { ...THEIRS, claims: { act: { sub: "client_a", iss: OWN } } };
  expect(stopOfIdentity(suspended({ kind: "api_client", id: "client_a" }), acting, OWN)).toBeDefined();
  const namesake = { ...THEIRS, claims: { act: { sub: "client_a", iss: THEIR } } };
  expect(stopOfIdentity(suspended({ kind: "api_client", id: "client_a" }), namesake, OWN)).toBeUndefined();
});

test("52. a token that does not say when it was issued is over by an end, and one of the next day is not", () => {
  const { issuedAt: _, ...undated } = THEIRS;
  const ended = suspended(ada, { state: "ended", until: AT + 1 });
  expect(stopOfIdentity(ended, undated, OWN)).toBeDefined();
  expect(stopOfIdentity(ended, { ...undated, expiresAt: AT + 25 * HOUR }, OWN)).toBeUndefined();
});

test("52. a session of another server's token is of no organization, and a stop of the first one does not end it", () => {
  const first = suspended({ kind: "organization", id: "org_first" });
  const begun = { startedAt: AT - 1, organizationId: "org_first" };
  expect(stopOfCaller(first, { identity: THEIRS, session: { record: begun } }, OWN)).toBeUndefined();
  const { record, ...rest } = OURS;
  const ours = { ...rest, organizationId: "org_first", record: { ...record, organizationId: "org_first" } };
  expect(stopOfCaller(first, { identity: ours, session: { record: begun } }, OWN)).toBeDefined();
});

test("52. a session is over with the key pair that began it, whichever key's token comes with it", () => {
  const { record, ...rest } = OURS;
  const identity = { ...rest, record: { ...record, apiClientKeyPairId: "key_other" } };
  const begun = { startedAt: AT - 1, keyPairId: "key_leaked" };
  const leaked = suspended({ kind: "key_pair", id: "key_leaked" }, { state: "ended", until: AT + 1 });
  expect(stopOfCaller(leaked, { identity }, OWN)).toBeUndefined();
  expect(stopOfCaller(leaked, { identity, session: { record: begun } }, OWN)).toBeDefined();
  const later = { ...begun, startedAt: AT + 1 };
  expect(stopOfCaller(leaked, { identity, session: { record: later } }, OWN)).toBeUndefined();
});

describe("52. a web app among those that can be stopped", () => {
  const apps = [webApp("payroll"), { name: "ledger", url: "https://ledger.example/mcp" }];
  test.each<[target: StopTarget, problem: string | undefined]>([
    [{ kind: "app", id: "payroll" }, undefined],
    [{ kind: "upstream", id: "https://payroll.internal.example" }, undefined],
    [{ kind: "upstream", id: "https://payroll.example" }, "is the URL or origin of no app's server"],
    [{ kind: "tool", id: "payroll/reports" }, "there are the apps ledger"],
    [{ kind: "tool", id: "ledger/pay" }, undefined],
  ])("%j", (target, problem) => {
    const found = unknownTarget(target, apps);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});
