import { expect, test } from "vitest";
import {
  accessCsv,
  accessesOf,
  accessOf,
  callablesOf,
  fitting,
  type Surroundings,
} from "../../console/pages/access/access.ts";
import {
  type Caller,
  type CallerFilters,
  fittingGroups,
  groupOfClient,
  groupsOfAgents,
  peopleOf,
} from "../../console/pages/access/callers.ts";
import type { ApiClient } from "../../lib/management/schemas/api-clients.ts";
import type { ConnectedAgent } from "../../lib/management/schemas/consents.ts";
import type { ToolList } from "../../lib/management/schemas/tools.ts";

const GATEWAY = "https://us.example/mcp";
const KEY = { keyPairId: "key_1", fingerprint: "f", status: "active", createdAt: "2026-01-01T00:00:00.000Z" } as const;
const CLIENT: ApiClient = {
  ...{ clientId: "client_1", name: "Desk", description: "", scopes: ["notes:read"], resources: [GATEWAY] },
  ...{ createdAt: KEY.createdAt, updatedAt: KEY.createdAt, keyPairs: [KEY] },
};
const TOOL = { app: "notes", method: "GET", path: "/", annotations: {} } as const;
const LIST: ToolList = {
  items: [
    { ...TOOL, name: "n_get", localName: "get", scopes: ["notes:read"] },
    { ...TOOL, name: "n_add", localName: "add", scopes: ["notes:read", "notes:write"] },
    { ...TOOL, name: "n_drop", localName: "drop", scopes: [], denied: true },
    { ...TOOL, name: "n_send", localName: "send", scopes: ["notes:read"], conditions: ["policies", "approval"] },
  ],
  leftOut: [],
  servers: [
    {
      ...{ app: "files", origin: "https://files.example", namespace: "f_", conditions: ["pins"] },
      ...{ policies: [], members: "required", pinned: true },
      credential: { kind: "unprotected", schemes: [], headers: [] },
      inbound: [
        { name: "read", scopes: [] },
        { name: "/^put/", scopes: ["files:write"] },
      ],
    },
  ],
};
const AROUND: Surroundings = { gateways: [GATEWAY], stops: [], organizationId: "org_1" };
const CALLABLES = callablesOf(LIST);
const callerOf = (client: ApiClient) => groupOfClient(client).callers[0] as Caller;
const TIMES = { createdAt: KEY.createdAt, updatedAt: KEY.createdAt };
const consent = (user: string, client: string, scopes: readonly string[], more: Partial<ConnectedAgent> = {}) => ({
  ...{ user, client, scopes, resources: [GATEWAY], hosts: [], ...TIMES, ...more },
});
const AGENTS: readonly ConnectedAgent[] = [
  consent("user_1", "helper", ["notes:read"], { name: "Helper" }),
  consent("user_2", "helper", ["notes:read", "notes:write"], { name: "Helper", userName: "grace@example.com" }),
  consent("user_3", "helper", ["notes:read"], { name: "Helper" }),
  consent("user_2", "https://other.example/c", [], { resources: [], userName: "grace@example.com" }),
];
const GROUPS = groupsOfAgents(AGENTS, new Map([["user_1", "ada@example.com"]]));

test("an API client may call what its scopes cover, under conditions what is decided with each call, and nothing else", () => {
  const found = CALLABLES.map((callable) => [callable.name, accessOf(callerOf(CLIENT), callable, AROUND)]);
  const offered = "the server offers it";
  const pinned = "the tool's version is approved";
  expect(found).toEqual([
    ["n_get", { answer: "may", reasons: [] }],
    ["n_add", { answer: "no", reasons: ["scope missing: notes:write"] }],
    ["n_drop", { answer: "no", reasons: ["nobody may call it: no entry of its app names it"] }],
    ["n_send", { answer: "conditional", reasons: ["the app's policies allow it", "somebody approves it"] }],
    ["f_read", { answer: "conditional", reasons: [offered, pinned] }],
    ["files: /^put/", { answer: "no", reasons: ["scope missing: files:write"] }],
    ["files: all other tools", { answer: "conditional", reasons: [offered, pinned] }],
  ]);
});

test.each<[what: string, client: Partial<ApiClient>, stops: Surroundings["stops"], reasons: readonly string[]]>([
  ["no key pair", { keyPairs: [{ ...KEY, status: "revoked" }] }, [], ["the client has no active key pair"]],
  ["no audience", { resources: ["https://us.example/other"] }, [], ["the gateway is none of its audiences"]],
  ["a stop of it", {}, [{ kind: "api_client", id: "client_1", state: "suspended" }], ["the client is stopped"]],
  [
    "a stop of its organization",
    {},
    [{ kind: "organization", id: "org_1", state: "suspended" }],
    ["the organization is stopped"],
  ],
  ["a stop of the app", {}, [{ kind: "app", id: "notes", state: "suspended" }], ["the app is stopped"]],
  ["a stop of the tool", {}, [{ kind: "tool", id: "notes/get", state: "suspended" }], ["the tool is stopped"]],
  ["what was ended and begins anew", {}, [{ kind: "api_client", id: "client_1", state: "ended" }], []],
  ["a stop of others", {}, [{ kind: "tool", id: "notes/add", state: "suspended" }], []],
])("with %s, an API client may call a tool only if nothing stands against it", (_, client, stops, reasons) => {
  const [get] = CALLABLES as [(typeof CALLABLES)[number]];
  const access = accessOf(callerOf({ ...CLIENT, ...client }), get, { ...AROUND, stops });
  expect(access).toEqual({ answer: reasons.length === 0 ? "may" : "no", reasons });
});

test("tools are narrowed by words, scopes, app and answer, and exported with one line a caller and tool", () => {
  const namesOf = (some: Partial<Parameters<typeof fitting>[2]>) =>
    fitting(CALLABLES, [callerOf(CLIENT)], { tool: "", app: "", answer: "", ...some }, AROUND).map(({ name }) => name);
  expect(namesOf({ tool: "N_ADD" })).toEqual(["n_add"]);
  expect(namesOf({ tool: "write" })).toEqual(["n_add", "files: /^put/"]);
  expect(namesOf({ app: "files", answer: "no" })).toEqual(["files: /^put/"]);
  expect(namesOf({ answer: "may" })).toEqual(["n_get"]);
  const formula = { ...CLIENT, name: '=HYPERLINK("x")' };
  expect(accessCsv(CALLABLES.slice(0, 2), [callerOf(formula)], "no", AROUND)).toBe(
    '"client","name","app","tool","scopes","access","reasons","person","personName"\r\n' +
      `"client_1","'=HYPERLINK(""x"")","notes","n_add","notes:read notes:write","no","scope missing: notes:write","",""\r\n`,
  );
});

test("agents of people are a column each, with one answer for all people for whom it is the same", () => {
  expect(GROUPS.map(({ name, callers }) => [name, peopleOf(callers)])).toEqual([
    ["Helper", "3 people"],
    ["https://other.example/c", "grace@example.com"],
  ]);
  const answers = (group: number, tool: number, stops: Surroundings["stops"] = []) =>
    accessesOf(GROUPS[group]?.callers ?? [], CALLABLES[tool] ?? expect.fail("no such tool"), { ...AROUND, stops }).map(
      ({ answer, reasons, callers }) => [answer, ...reasons, peopleOf(callers)],
    );
  expect(answers(0, 0)).toEqual([["may", "3 people"]]);
  expect(answers(0, 1)).toEqual([
    ["no", "scope missing: notes:write", "2 people"],
    ["may", "grace@example.com"],
  ]);
  expect(answers(1, 0)).toEqual([
    ["no", "the gateway is none of its audiences", "scope missing: notes:read", "grace@example.com"],
  ]);
  expect(answers(0, 0, [{ kind: "person", id: "user_3", state: "suspended" }])).toEqual([
    ["may", "2 people"],
    ["no", "the person is stopped", "user_3"],
  ]);
  expect(answers(0, 0, [{ kind: "agent", id: "helper", state: "suspended" }])).toEqual([
    ["no", "the agent is stopped", "3 people"],
  ]);
  const elsewhere = { kind: "agent", id: "helper", state: "suspended", issuer: "https://idp.example" } as const;
  expect(answers(0, 0, [elsewhere])).toEqual([["may", "3 people"]]);
});

test("callers are narrowed by kind, by what agents are called, and by people", () => {
  const found = (some: Partial<CallerFilters>) =>
    fittingGroups([groupOfClient(CLIENT), ...GROUPS], { search: "", person: "", callers: "", ...some }).map(
      ({ name, callers }) => [name, callers.length],
    );
  expect(found({})).toEqual([
    ["Desk", 1],
    ["Helper", 3],
    ["https://other.example/c", 1],
  ]);
  expect(found({ callers: "api_client" })).toEqual([["Desk", 1]]);
  // The server has searched for API clients.
  expect(found({ search: "OTHER.ex" })).toEqual([
    ["Desk", 1],
    ["https://other.example/c", 1],
  ]);
  expect(found({ person: " Grace@" })).toEqual([
    ["Helper", 1],
    ["https://other.example/c", 1],
  ]);
  expect(found({ person: "user_3" })).toEqual([["Helper", 1]]);
  expect(found({ person: "nobody" })).toEqual([]);
});

test("an export has a line for each person for whom an agent calls", () => {
  const [helper] = GROUPS;
  const lines = accessCsv(CALLABLES.slice(1, 2), helper?.callers ?? [], "", AROUND)
    .trimEnd()
    .split("\r\n")
    .slice(1);
  const tool = '"helper","Helper","notes","n_add","notes:read notes:write"';
  expect(lines).toEqual([
    `${tool},"no","scope missing: notes:write","user_1","ada@example.com"`,
    `${tool},"may","","user_2","grace@example.com"`,
    `${tool},"no","scope missing: notes:write","user_3",""`,
  ]);
});
