import { expect, test } from "vitest";
import { accessCsv, accessOf, callablesOf, fitting, type Surroundings } from "../../console/pages/access/access.ts";
import type { ApiClient } from "../../lib/management/schemas/api-clients.ts";
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

test("an API client may call what its scopes cover, under conditions what is decided with each call, and nothing else", () => {
  const found = CALLABLES.map((callable) => [callable.name, accessOf(CLIENT, callable, AROUND)]);
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
  const access = accessOf({ ...CLIENT, ...client }, get, { ...AROUND, stops });
  expect(access).toEqual({ answer: reasons.length === 0 ? "may" : "no", reasons });
});

test("tools are narrowed by words, scopes, app and answer, and exported with one line a caller and tool", () => {
  const namesOf = (some: Partial<Parameters<typeof fitting>[2]>) =>
    fitting(CALLABLES, [CLIENT], { tool: "", app: "", answer: "", ...some }, AROUND).map(({ name }) => name);
  expect(namesOf({ tool: "N_ADD" })).toEqual(["n_add"]);
  expect(namesOf({ tool: "write" })).toEqual(["n_add", "files: /^put/"]);
  expect(namesOf({ app: "files", answer: "no" })).toEqual(["files: /^put/"]);
  expect(namesOf({ answer: "may" })).toEqual(["n_get"]);
  const formula = { ...CLIENT, name: '=HYPERLINK("x")' };
  expect(accessCsv(CALLABLES.slice(0, 2), [formula], "no", AROUND)).toBe(
    '"client","name","app","tool","scopes","access","reasons"\r\n' +
      `"client_1","'=HYPERLINK(""x"")","notes","n_add","notes:read notes:write","no","scope missing: notes:write"\r\n`,
  );
});
