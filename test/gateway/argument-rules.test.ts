import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { McpBridgeAppConfiguration, ToolRulesConfiguration } from "../../lib/config/app-configuration.ts";
import type { PolicyConfiguration } from "../../lib/config/policy-engines.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import type { ArgumentRule } from "../../lib/tool-rules/argument-rule.ts";
import { type ArgumentRules, applyRules, prepareRules } from "../../lib/tool-rules/argument-rules.ts";
import { mcpServer, toolOf } from "../proxy/tools/mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "../proxy/tools/proxying-gateway.ts";

const RUNS = 10_000;
const check = createSchemaCheck();
const sources = { user: { account: "A1", roles: ["a"], empty: "" }, clientID: "an-agent", requestId: "r" };

/** Spellings of one argument, and others that schemas and agents use. */
const NAMES = [
  "account",
  "Account",
  "ACCOUNT",
  "ａccount",
  "to",
  "To",
  "recipient",
  "memo",
  "amount",
  "__proto__",
  "constructor",
];
const name = fc.constantFrom(...NAMES);
const value = fc.constantFrom<unknown>("A2", "x", "", 1, null, true, [], { account: "A2" }, "EUR");
const property = fc.constantFrom<unknown>(
  {},
  true,
  false,
  { type: "string" },
  { type: ["string", "null"] },
  { enum: ["x", "EUR", 1] },
  { $ref: "#/$defs/text" },
  { type: "object" },
);
const members = fc
  .uniqueArray(fc.tuple(name, property), { selector: ([key]) => key, maxLength: 6 })
  .map(Object.fromEntries);

const branch = fc.oneof(
  fc.record({ properties: members }),
  fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
  fc.constant({ $ref: "#/$defs/more" }),
  fc.record({ properties: members, additionalProperties: fc.boolean() }),
);
/** Keywords that are another way to an argument. */
const ways = fc.record(
  {
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: fc.constantFrom<unknown>(true, false, {}, { type: "string" }),
    patternProperties: fc.constant({ "^a": {} }),
    unevaluatedProperties: fc.boolean(),
    allOf: fc.array(branch, { minLength: 1, maxLength: 2 }),
    anyOf: fc.array(branch, { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(branch, { minLength: 1, maxLength: 2 }),
    if: branch,
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 1 }),
    minProperties: fc.constant(1),
    propertyNames: fc.constant({ maxLength: 20 }),
  },
  { requiredKeys: [] },
);
/** Each alone, so that many schemas are such that rules can follow. */
const keywords = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(ways, fc.nat())
      .map(([all, at]) =>
        Object.fromEntries(Object.entries(all).filter((_, index, every) => index === at % every.length)),
      ),
  },
  { weight: 1, arbitrary: ways },
);
const TEXT = { type: "string" };
const usual = fc
  .subarray(["account", "to", "memo"], { minLength: 2 })
  .map((all) => Object.fromEntries(all.map((one) => [one, TEXT])));
const declared = fc.oneof(
  { weight: 3, arbitrary: usual },
  { weight: 1, arbitrary: fc.tuple(usual, members).map(([one, other]) => ({ ...one, ...other })) },
);
const schema = fc
  .record({ properties: declared, more: members, keywords, isReferred: fc.boolean() })
  .map(({ properties, more, keywords, isReferred }) => {
    const $defs = { text: { type: "string" }, more: { properties: more } };
    const own = { type: "object", properties, ...keywords };
    return isReferred ? { $ref: "#/$defs/root", $defs: { ...$defs, root: own } } : { ...own, $defs };
  });

const rule: fc.Arbitrary<Omit<ArgumentRule, "argument">> = fc.oneof(
  fc.constant({ hide: true as const }),
  fc.constant({ fix: { value: "ours" } }),
  fc.constant({ fix: { parts: [{ text: "of " }, { user: "account" }] } }),
  fc.constant({ name: "recipient" }),
  fc.constant({ name: "payee", match: "^x" }),
  fc.constant({ allow: ["x", "EUR"] }),
);
const rules = fc
  .uniqueArray(fc.tuple(fc.constantFrom("account", "account", "to", "to", "memo", "__proto__"), rule), {
    selector: ([key]) => key,
    minLength: 1,
    maxLength: 3,
  })
  .map((all) => all.map(([argument, one]): ArgumentRule => ({ argument, ...one })));
const given = fc
  .uniqueArray(fc.tuple(fc.oneof(name, fc.constant("payee")), value), { selector: ([key]) => key, maxLength: 5 })
  .map(Object.fromEntries);

/** Some of what the rules leave to agents, or anything. */
const sendings: fc.Arbitrary<(made: ArgumentRules) => JsonObject> = fc.oneof(
  { weight: 1, arbitrary: given.map((one) => () => one) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat({ max: 255 }), fc.array(value, { minLength: 8, maxLength: 8 })).map(
      ([chosen, values]) =>
        ({ accepted = [], limited }: ArgumentRules) =>
          Object.fromEntries(
            accepted
              .slice(0, 8)
              .flatMap((name, at) =>
                ((chosen >> at) & 1) === 0
                  ? []
                  : [[name, limited.some(({ shown }) => shown === name) ? "x" : values[at]]],
              ),
          ),
    ),
  },
);

describe("72. arguments of tools with rules", () => {
  test("72. what is hidden or fixed no agent sets, whatever the schema says, and what the shown schema accepts is accepted", () => {
    let [applied, withheld] = [0, 0];
    fc.assert(
      fc.property(schema, rules, fc.array(sendings, { minLength: 8, maxLength: 8 }), (own, all, sent) => {
        const made = prepareRules(all, own);
        if ("withheld" in made) withheld += 1;
        else for (const sending of sent) applied += Number(isApplied(own, all, made, sending(made)));
      }),
      { numRuns: RUNS },
    );
    // The generators reach both.
    expect(applied).toBeGreaterThan(RUNS);
    expect(withheld).toBeGreaterThan(200);
  }, 120_000);
});

/** Whether the arguments of a call are accepted; then they are held against what rules are for. */
function isApplied(own: JsonObject, all: readonly ArgumentRule[], made: ArgumentRules, sending: JsonObject): boolean {
  const ruled = applyRules(made, { read: sending, written: sending }, sources);
  const isShown = made.schema !== undefined && check(made.schema, sending).length === 0;
  if (isShown) expect(ruled.outcome).toBe("applied");
  if (ruled.outcome !== "applied") return false;
  expect(ruled.read).toEqual(ruled.written);
  const out = Object.entries(ruled.read as object);
  const find = (wanted: string) => out.filter(([key]) => same(key, wanted));
  for (const { argument, hide, fix, name: shown, allow } of all) {
    if (hide) expect(find(argument)).toEqual([]);
    if (fix !== undefined) expect(find(argument)).toEqual([[argument, "value" in fix ? fix.value : "of A1"]]);
    if (shown !== undefined) expect(Object.hasOwn(sending, argument) && shown !== argument).toBe(false);
    if (allow !== undefined) for (const [, one] of find(argument)) expect(allow).toContain(one);
  }
  // Nothing comes from elsewhere, and nothing is lost.
  expect(out).toHaveLength(Object.keys(sending).length + all.filter(({ fix }) => fix !== undefined).length);
  if (isShown && all.every(({ hide, fix }) => !hide && fix === undefined)) expect(check(own, ruled.read)).toEqual([]);
  return true;
}

function same(one: string, other: string): boolean {
  const fold = (text: string) => text.normalize("NFKC").toLowerCase();
  return fold(one) === fold(other);
}

const PROPERTIES = {
  account: { type: "string" },
  memo: { type: "string" },
  to: { type: "string", "x-mcp-header": "To" },
  currency: { type: "string" },
  amount: { type: "number" },
};
const PAYMENT: readonly ToolRulesConfiguration[] = [
  {
    tools: ["createPayment"],
    arguments: [
      { argument: "account", fix: { value: "A1" } },
      { argument: "memo", hide: true },
      { argument: "to", name: "recipient", match: "^NL[0-9]{2}" },
      { argument: "currency", allow: ["EUR", "USD"] },
    ],
  },
  { tools: ["/of.*/"], arguments: [{ argument: "account", fix: { parts: [{ user: "account" }] } }] },
  { tools: ["other"], arguments: [{ argument: "acount", hide: true }] },
];

/** By the server's names, as they go out. */
const POLICIES: readonly PolicyConfiguration[] = [
  {
    engine: "cel",
    name: "cel",
    expression:
      'request.mcp.tool.params.arguments.all(name, name != "recipient") && (request.mcp.tool.params.name != "createPayment" || request.mcp.tool.params.arguments.account == "A1")',
  },
];

/** An MCP server and a REST API with the same tools. */
async function startPayments() {
  const inputSchema = { type: "object", properties: PROPERTIES, required: ["account", "to"] };
  const server = mcpServer(["createPayment", "ofPerson", "other"].map((name) => toolOf(name, { inputSchema })));
  const sent: JsonObject[] = [];
  const requestBody = { required: true, content: { "application/json": { schema: inputSchema } } };
  const operation = (operationId: string) => ({
    operationId,
    requestBody,
    responses: { 204: { description: "Done." } },
  });
  const paths = { "/payments": { post: operation("createPayment") }, "/of": { post: operation("ofPerson") } };
  const document = { openapi: "3.1.0", info: { title: "Payments", version: "1" }, paths };
  const result = await compileCatalog(JSON.stringify(document), { app: "api", namespace: { disabled: false } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  const api: McpBridgeAppConfiguration = {
    ...{
      type: "mcpBridge",
      name: "api",
      baseURL: "https://api.example",
      timeout: 1_000,
      tls: "api",
      rules: PAYMENT,
      policies: POLICIES,
    },
    ...{ catalog: result.catalog, inboundTools: [], stepUp: [], outbound: { type: "unprotected" } },
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (new URL(String(input)).host !== "api.example") return server.fetch(input, init);
    sent.push(JSON.parse(String(init?.body)));
    return new Response(null, { status: 204 });
  };
  const it = await proxyingGateway({
    ...{ servers: { ledger: server }, more: { rules: PAYMENT, policies: POLICIES }, apps: [api] },
    adapt: (dependencies) => ({ ...dependencies, fetch, outbound: () => fetch }),
  });
  return { it, received: { ledger: () => server.calls.map(({ params }) => params.arguments), api: () => sent } };
}

describe.each(["ledger", "api"] as const)("72. a tool with rules of the app %s", (app) => {
  let it: ProxyingGateway;
  let received: () => readonly unknown[];
  beforeAll(async () => {
    const started = await startPayments();
    it = started.it;
    received = started.received[app];
  });
  afterAll(() => it.close());
  const call = async (given: JsonObject, tool = "createPayment") => {
    const to = given.recipient ?? (tool === "ofPerson" ? given.to : undefined);
    const headers: Readonly<Record<string, string>> = typeof to === "string" ? { "mcp-param-to": to } : {};
    const params = { name: `${app}_${tool}`, arguments: given };
    return JSON.stringify(await (await it.send("tools/call", params, headers)).json());
  };

  test("72. is listed with the arguments that agents may send, and not where its rules do not fit", async () => {
    const { tools } = (await it.answer("tools/list")).result as unknown as {
      readonly tools: readonly { readonly name: string; readonly inputSchema: JsonObject }[];
    };
    const own = tools.filter(({ name }) => name.startsWith(app));
    expect(own.map(({ name }) => name)).toEqual([`${app}_createPayment`, `${app}_ofPerson`]);
    expect(own[0]?.inputSchema).toMatchObject({ required: ["recipient"], additionalProperties: false });
    expect(own[0]?.inputSchema.properties).toEqual({
      recipient: expect.objectContaining({ type: "string", pattern: "^NL[0-9]{2}" }),
      currency: { type: "string", enum: ["EUR", "USD"] },
      amount: { type: "number" },
    });
  });

  test("72. is called with its own names and with what is fixed, which policies see", async () => {
    const given = { recipient: "NL20", currency: "EUR", amount: 5 };
    expect(await call(given)).not.toContain("isError");
    expect(received().at(-1)).toEqual({ to: "NL20", currency: "EUR", amount: 5, account: "A1" });
  });

  test.each([
    [{ recipient: "NL20", account: "A2" }, "account: is not accepted"],
    [{ recipient: "NL20", Account: "A2" }, "Account: is not accepted"],
    [{ recipient: "NL20", memo: "x" }, "memo: is not accepted (accepted: recipient, currency, amount)"],
    [{ to: "NL20" }, "to: is not accepted"],
    [{ recipient: `NL20${"0".repeat(20_000)}` }, "recipient: is not a text that matches"],
    [{ recipient: "DE20" }, "recipient: is not a text that matches ^NL[0-9]{2}"],
    [{ recipient: "NL20", currency: "GBP" }, "currency: is not one of"],
  ])("72. refuses %#, says why, and is not called", async (given, why) => {
    const before = received().length;
    const answer = await call(given);
    expect(answer).toContain(`Invalid arguments: ${why}`);
    expect(answer).toContain('"isError":true');
    expect(received()).toHaveLength(before);
  });

  test("72. is not called where a claim is missing", async () => {
    const before = received().length;
    expect(await call({ to: "a" }, "ofPerson")).toContain(
      "This call needs user.account, which the token does not tell",
    );
    expect(received()).toHaveLength(before);
  });
});
