import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { comparing } from "../../console/pages/policies/recorded-calls.ts";
import { changeOf, compareRecords, tryInput } from "../../console/policy-test/compare.ts";
import { evaluatorOf } from "../../console/policy-test/evaluate.ts";
import { appsInUse } from "../../console/policy-test/in-use.ts";
import type { PolicySource, Surroundings, TestRequest, Verdict } from "../../console/policy-test/protocol.ts";
import type { AuditEvent } from "../../lib/management/schemas/audit-events.ts";
import { policyInput } from "../policy/input.ts";
import { DATA, readPlan } from "../policy/rego/documents.ts";

const ISSUER = "https://us.example";
const ARGUMENTS = "request.mcp.tool.params.arguments";

const AROUND: Surroundings = {
  issuer: ISSUER,
  tools: {
    items: [
      {
        name: "notes_getNote",
        localName: "getNote",
        app: "notes",
        method: "GET",
        path: "/notes/{id}",
        scopes: [],
        annotations: {},
      },
    ],
    servers: [
      {
        ...{
          app: "wiki",
          origin: "https://wiki.example",
          namespace: "wiki_",
          inbound: [],
          policies: [],
          members: "any",
        },
        ...{ credential: { kind: "unprotected" }, pinned: false },
      } as unknown as Surroundings["tools"]["servers"][number],
    ],
  },
};

const RECORD: AuditEvent = {
  ...{ id: "01", time: "2026-03-02T10:00:00.000Z", type: "tool.invoked", outcome: "success" },
  ...{ app: "notes", tool: "notes_getNote", agent: "client_1", user: "user_ada", details: { issuer: ISSUER } },
};
const ALONE: AuditEvent = { ...RECORD, user: undefined } as never;
const SEVERAL: AuditEvent = { ...RECORD, agent: undefined, user: undefined, count: 3 } as never;
const FOREIGN: AuditEvent = { ...RECORD, details: { issuer: "https://other.example" } };

const NONE: PolicySource = { language: "none" };
const cel = (text: string): PolicySource => ({ language: "cel", text });
const rego = (name: string): PolicySource => ({
  ...{ language: "rego", plan: readPlan(name), data: DATA, list: false, forwardToken: false },
});

const ALLOWED: Verdict = { outcome: "allowed" };
const denied = (hides: boolean): Verdict => ({ outcome: "denied", hides });
const unknown = (...reads: readonly string[]): Verdict => ({ outcome: "unknown", reads });

async function verdict(source: PolicySource, record: AuditEvent): Promise<Verdict | undefined> {
  const [compared] = await compareRecords({ inUse: NONE, edited: source }, [record], AROUND);
  return compared?.edited;
}

describe("a recorded call", () => {
  test.each([
    ["the tool's own name", 'request.mcp.tool.params.name == "getNote"', RECORD, ALLOWED],
    ["another one", 'request.mcp.tool.params.name == "addNote"', RECORD, denied(true)],
    ["app and method", 'request.mcp.app == "notes" && request.mcp.method == "tools/call"', RECORD, ALLOWED],
    ["what a call never has", "has(request.mcp.resource) || has(request.mcp.prompt)", RECORD, denied(true)],
    ["the agent", 'agent.clientID == "client_1"', RECORD, ALLOWED],
    ["the person", 'user.sub == "user_ada"', RECORD, ALLOWED],
    ["no person: there are no claims either", "has(user.email)", ALONE, denied(true)],
    [
      "names in a token of this instance",
      'token.claims.client_id == "client_1" && token.claims.sub == user.sub',
      RECORD,
      ALLOWED,
    ],
    ["a client's own token", 'token.claims.sub == "client_1"', ALONE, ALLOWED],
    ["a session", 'request.mcp.session == "s1"', { ...RECORD, details: { issuer: ISSUER, sessionId: "s1" } }, ALLOWED],
    [
      "a name of an MCP server",
      'request.mcp.tool.params.name == "read"',
      { ...RECORD, app: "wiki", tool: "wiki_read" },
      ALLOWED,
    ],
    ["arguments", `${ARGUMENTS}.amount <= 100`, RECORD, unknown(ARGUMENTS)],
    ["whether there are some", `has(${ARGUMENTS}.amount)`, RECORD, unknown(ARGUMENTS)],
    ["whether there are any", "has(request.mcp.tool.params.arguments)", RECORD, unknown(ARGUMENTS)],
    ["a loop over arguments", `${ARGUMENTS}.tags.all(tag, tag == "a")`, RECORD, unknown(ARGUMENTS)],
    ["all of the arguments' names", `"a" in ${ARGUMENTS}`, RECORD, unknown(ARGUMENTS)],
    ["a claim", '"editor" in token.claims.roles', RECORD, unknown("token.claims.roles")],
    ["a claim that might be missing", "has(token.claims.roles)", RECORD, unknown("token.claims.roles")],
    ["a claim by its name", '"roles" in token.claims', RECORD, unknown("token.claims")],
    ["a claim of a strange name", 'token.claims["a:b"] == "c"', RECORD, unknown('token.claims["a:b"]')],
    ["claims that are compared", "token.claims == user", RECORD, unknown("token.claims")],
    ["all claims", "size(token.claims) > 3", RECORD, unknown("token.claims")],
    ["a loop over claims", "token.claims.exists(name, name == 'roles')", RECORD, unknown("token.claims")],
    ["a claim of the person", 'user.email.endsWith("@us.example")', RECORD, unknown("user.email")],
    [
      "whose client is named otherwise",
      'token.claims.client_id == "client_1"',
      FOREIGN,
      unknown("token.claims.client_id"),
    ],
    ["the request", 'request.http.method == "GET"', RECORD, unknown("request.http.method")],
    ["whether there is a request", "has(request.http.query)", RECORD, unknown("request.http.query")],
    ["the agent's own request", 'request.mcp.http.path == "/mcp"', RECORD, unknown("request.mcp.http")],
    ["a session that no record names", "has(request.mcp.session)", RECORD, unknown("request.mcp.session")],
    ["the agent of several refusals", 'agent.clientID == "client_1"', SEVERAL, unknown("agent.clientID")],
    ["the person of several", "has(user.sub)", SEVERAL, unknown("user.sub")],
    [
      "a tool that is gone",
      'request.mcp.tool.params.name == "x"',
      { ...RECORD, tool: "notes_x" },
      unknown("request.mcp.tool.params.name"),
    ],
    ["two of them", `${ARGUMENTS}.a == 1 || has(user.email)`, RECORD, unknown(ARGUMENTS, "user.email")],
    [
      "what does not matter, as one side is true",
      `${ARGUMENTS}.a == 1 || agent.clientID == "client_1"`,
      RECORD,
      ALLOWED,
    ],
    [
      "what does not matter, as one side is false",
      `${ARGUMENTS}.a == 1 && agent.clientID == "x"`,
      RECORD,
      denied(false),
    ],
    [
      "what matters, as the other side is false",
      `${ARGUMENTS}.a == 1 || agent.clientID == "x"`,
      RECORD,
      unknown(ARGUMENTS),
    ],
    [
      "what matters not, as the condition is false",
      `agent.clientID == "x" ? ${ARGUMENTS}.a == 1 : true`,
      RECORD,
      ALLOWED,
    ],
    [
      "an error that is no question of the record",
      'request.mcp.resource.uri == "a"',
      RECORD,
      { outcome: "error", failure: "no_such_key", hides: true },
    ],
  ] as const)("%s", async (_, text, record, expected) => {
    expect(await verdict(cel(text), record as AuditEvent)).toEqual(expected);
  });

  test.each([
    ["arguments are what it cannot tell of", "arguments", RECORD, unknown(ARGUMENTS)],
    ["a claim is", "hours", RECORD, unknown("token.claims.at")],
    ["an address is", "networks", RECORD, unknown("request.http.remoteAddress")],
    ["a claim of the person is", "roles", RECORD, unknown("user.roles")],
    [
      "that there is no person is known",
      ...["roles", ALONE],
      { outcome: "denied", message: "getNote needs one of: editor, reader", hides: false },
    ],
    ["who the person is, is known", "owners", { ...RECORD, user: "a-person" }, ALLOWED],
  ] as const)("in Rego, %s", async (_, name, record, expected) => {
    expect(await verdict(rego(name as string), record as AuditEvent)).toEqual(expected);
  });
});

/** Parts of expressions that a record tells of, does not tell of, and that fail. */
const ATOMS = [
  ...["true", 'agent.clientID == "client_1"', 'request.mcp.tool.params.name == "addNote"', "has(request.mcp.resource)"],
  ...["request.mcp.resource.uri == 'a'", `has(${ARGUMENTS}.tags)`, `${ARGUMENTS}.tags.all(tag, tag == "a")`],
  ...['"editor" in token.claims.roles', "has(token.claims.roles)", "has(user.email)", "size(token.claims) > 4"],
  ...["has(request.http.query)", "has(request.mcp.session)", "'roles' in user", "token.claims == user"],
];
const expression = fc.letrec<{ all: string }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...ATOMS),
    fc.tuple(tie("all"), fc.constantFrom("&&", "||"), tie("all")).map(([one, by, other]) => `(${one} ${by} ${other})`),
    tie("all").map((one) => `!(${one})`),
    fc.tuple(tie("all"), tie("all"), tie("all")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
  ),
})).all;
/** What a call may have had that left this record. */
const told = fc.record(
  {
    tags: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
    roles: fc.array(fc.constantFrom("editor", "reader"), { maxLength: 2 }),
    email: fc.constant("ada@us.example"),
    session: fc.constant("s1"),
    query: fc.constant({}),
  },
  { requiredKeys: [] },
);

test("what is told from a record is what the policy says of every call that left it", async () => {
  await fc.assert(
    fc.asyncProperty(expression, told, async (text, { tags, roles, email, session, query }) => {
      const source = cel(text);
      const claims = {
        ...{ iss: ISSUER, sub: "user_ada", client_id: "client_1" },
        ...(roles && { roles }),
        ...(email && { email }),
      };
      const input = {
        request: {
          http: query ? { query } : {},
          mcp: {
            ...{ method: "tools/call", app: "notes", ...(session && { session }) },
            ...{ http: {}, tool: { params: { name: "getNote", arguments: tags ? { tags } : {} } } },
          },
        },
        ...{ user: claims, agent: { clientID: "client_1" }, token: { claims } },
      };
      const { edited } = await tryInput({ inUse: NONE, edited: source }, JSON.stringify(input), 0);
      const said = await verdict(source, RECORD);
      if (said?.outcome !== "unknown") expect(said).toEqual(edited);
    }),
    { numRuns: 500 },
  );
});

describe("what changes", () => {
  test.each([
    [ALLOWED, ALLOWED, "same"],
    [ALLOWED, denied(true), "denied"],
    [denied(true), ALLOWED, "allowed"],
    [denied(true), denied(false), "same"],
    [{ outcome: "error", failure: "x", hides: true }, denied(true), "same"],
    [ALLOWED, { outcome: "error", failure: "x", hides: true }, "denied"],
    [unknown("user.email"), denied(true), "unknown"],
    [ALLOWED, unknown("user.email"), "unknown"],
  ] as const)("%j and then %j", (inUse, edited, expected) => {
    expect(changeOf({ inUse, edited })).toBe(expected);
  });

  test("nothing, where the policy is the one in use, also where no record tells what it says", async () => {
    const both = { inUse: cel(`${ARGUMENTS}.a == 1`), edited: cel(`${ARGUMENTS}.a == 1`) };
    expect(await compareRecords(both, [RECORD], AROUND)).toMatchObject([{ change: "same" }]);
  });
});

describe("a written input", () => {
  const input = JSON.stringify(policyInput({ arguments: { amount: 12 } }));
  test.each([
    ["arguments are there", cel(`${ARGUMENTS}.amount < 20`), ALLOWED],
    ["a denial hides the tool where nothing of a call is read", cel('agent.clientID == "x"'), denied(true)],
    ["and does not where something is", cel(`${ARGUMENTS}.amount > 20`), denied(false)],
    [
      "what is missing is missing",
      cel(`${ARGUMENTS}.other == 1`),
      { outcome: "error", failure: "no_such_key", hides: false },
    ],
    ["a policy in Rego says what the agent is told", rego("arguments"), { outcome: "allowed" }],
  ] as const)("%s", async (_, source, expected) => {
    const found = await tryInput({ inUse: NONE, edited: source }, input, 0);
    expect(found).toEqual({ inUse: ALLOWED, edited: expected });
  });

  test("a policy in Rego is told the time that is written", async () => {
    const at = (hour: number) =>
      JSON.stringify({ ...policyInput(), token: { claims: { at: `2026-03-02T${hour}:00:00Z` } } });
    const outcomes = [at(10), at(20)].map(
      async (text) => (await tryInput({ inUse: NONE, edited: rego("hours") }, text, 0)).edited,
    );
    expect(await Promise.all(outcomes)).toEqual([
      ALLOWED,
      { outcome: "denied", message: "outside of working hours", hides: false },
    ]);
  });

  test.each([
    ["{", "The input is no JSON: "],
    ["[]", "The input is not one JSON object."],
    ['{"request":{},"user":{}}', "The input has no mapping agent, token; accepted: request, user, agent and token."],
    ['{"request":{},"user":{},"agent":{},"token":{}}', "The input has no mapping token.claims."],
  ])("%s is none", async (text, expected) => {
    await expect(tryInput({ inUse: NONE, edited: NONE }, text, 0)).rejects.toThrow(expected);
  });
});

describe("a mistake", () => {
  test.each([
    [cel("agent.clientID == \n  agnt.x"), { line: 2, column: 3 }, "Unknown variable: agnt"],
    [cel("true &&\n agent.clientId == 'a'"), { line: 2, column: 8 }, 'did you mean "clientID"?'],
    [cel("1 + 1"), { line: 1, column: 1 }, "accepted: bool"],
    [{ ...rego("hours"), plan: {} }, undefined, 'what "opa build -t plan" writes'],
  ] as const)("%j", (source, at, words) => {
    const made = evaluatorOf(source as PolicySource, "written");
    expect(made).toMatchObject({ mistake: { message: expect.stringContaining(words) } });
    expect("mistake" in made && made.mistake.at).toEqual(at);
  });
});

test("the policies of a document are those of the gateway's apps, with their places", () => {
  const document = {
    apps: [
      {
        ...{ name: "notes", type: "mcpBridge" },
        authorization: {
          inbound: {
            cel: "true",
            opa: { rego: "package orchestrator", name: "office" },
            rules: [
              { cel: "false" },
              { opa: { url: "https://opa.example/v1/data/a" } },
              { authzen: { pdp: "https://pdp.example" } },
            ],
          },
        },
      },
      { name: "site", type: "proxy" },
      { name: "wiki", type: "mcpProxy" },
    ],
  };
  const policies = { notes: { opa: { plan: { a: 1 }, data: { b: 2 } } } };
  const [notes, wiki, ...others] = appsInUse({ document, hidden: [], policies } as never);
  expect(others).toEqual([]);
  expect(wiki).toEqual({ name: "wiki", policies: [], remote: [] });
  expect(notes?.remote).toEqual(["rules[1].opa", "rules[2].authzen"]);
  expect(notes?.policies.map(({ place, name, path, text }) => [place, name, path.join("."), text])).toEqual([
    ["cel", "cel", "authorization.inbound.cel", "true"],
    ["opa", "office", "authorization.inbound.opa.rego", "package orchestrator"],
    ["rules[0].cel", "rules[0].cel", "authorization.inbound.rules.0.cel", "false"],
  ]);
  expect(notes?.policies[1]?.source).toEqual({
    language: "rego",
    plan: { a: 1 },
    data: { b: 2 },
    list: false,
    forwardToken: false,
  });
});

/** An audit log with records of two apps in turn. */
const recorded = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...RECORD, id: `${index}`, app: index % 2 === 0 ? "notes" : "wiki" }));

async function ended(records: readonly AuditEvent[], app = "notes", signal = new AbortController().signal) {
  const asked: unknown[] = [];
  const api = {
    send: async ({ query }: { readonly query?: Readonly<Record<string, unknown>> }) => {
      asked.push(query);
      const from = Number(query?.cursor ?? 0);
      const next = from + Number(query?.limit);
      return { body: { items: records.slice(from, next), ...(next < records.length && { nextCursor: `${next}` }) } };
    },
  };
  const tester = {
    ask: async (request: TestRequest) =>
      request.kind === "compare" ? compareRecords(request.policies, request.records, request.surroundings) : [],
  };
  const policies = { inUse: NONE, edited: cel("false") };
  const steps = [];
  const all = comparing({ api, tester, app, policies, surroundings: AROUND } as never, signal);
  for await (const { compared, read, end } of all) steps.push([compared.length, read, end]);
  return { steps, asked };
}

describe("the audit log is read page by page", () => {
  test.each([
    [
      "to its end",
      500,
      "notes",
      [
        [100, 200, "under way"],
        [200, 400, "under way"],
        [250, 500, "all"],
      ],
    ],
    ["without calls of the app", 10, "other", [[0, 10, "all"]]],
    ["empty", 0, "notes", [[0, 0, "all"]]],
  ] as const)("%s", async (_, count, app, expected) => {
    const { steps, asked } = await ended(recorded(count), app);
    expect(steps).toEqual(expected);
    expect(asked[0]).toMatchObject({ type: "tool.invoked", limit: 200 });
  });

  test.each([
    [" of 1,000 calls of the app", 3_000, "notes", [1_000, 2_000, "enough"]],
    [" of 10,000 records", 12_000, "other", [0, 10_000, "enough"]],
  ] as const)("no further than the page%s", async (_, count, app, expected) => {
    const { steps } = await ended(recorded(count), app);
    expect(steps.at(-1)).toEqual(expected);
  });

  test("no further than somebody lets it", async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(ended(recorded(10), "notes", controller.signal)).rejects.toThrow("abort");
  });
});
