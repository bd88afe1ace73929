import { describe, expect, test } from "vitest";
import { configurationOf, mistakes } from "./support.ts";

const DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Payments", version: "1" },
  paths: {
    "/payments": {
      post: {
        operationId: "pay",
        parameters: [
          { name: "account", in: "query", schema: { type: "string" } },
          { name: "currency", in: "query", required: true, schema: { enum: ["EUR", "USD"] } },
          { name: "amount", in: "query", schema: { type: "integer" } },
        ],
        responses: {
          200: {
            description: "Done.",
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    iban: { type: "string" },
                    items: { type: "array", items: { type: "object", properties: { card: { type: "string" } } } },
                    free: {},
                  },
                },
              },
            },
          },
        },
      },
    },
  },
});

const bridge = (rules: string) =>
  `version: 1\napps: [{name: a, type: mcpBridge, openapi: {baseURL: "https://a.example", spec: {data: '${DOCUMENT}'}}, tools: {rules: ${rules}}}]`;
const proxy = (rules: string) =>
  `version: 1\napps: [{name: a, type: mcpProxy, upstream: {stream: {url: "https://a.example/mcp"}}, tools: {rules: ${rules}}}]`;
const CONSOLE = "http: {publicURL: https://us.example}\nconsole: {enabled: true}";
const approving = (approval: string) => `[{tools: [pay], approval: ${approval}}]`;
const pay = (rules: string) => `[{tools: [pay], arguments: ${rules}}]`;
const at = (argument: string) => `rules[0].arguments.${argument}`;

describe("72. rules for arguments refuse", () => {
  test.each([
    ["an argument that the schema lacks", pay("{acount: {hide: true}}"), at("acount"), 'did you mean "account"?'],
    ["a tool that there is not", "[{tools: [pya], arguments: {}}]", "rules[0].tools[0]", 'did you mean "pay"?'],
    ["a name that another argument has", pay("{account: {name: amount}}"), at("account.name"), "an argument already"],
    ["a hidden argument that is required", pay("{currency: {hide: true}}"), at("currency.hide"), "accepted: fix"],
    ["values that the schema does not accept", pay("{currency: {allow: [GBP]}}"), at("currency.allow"), "its enum"],
    ["a pattern for a number", pay("{amount: {match: a}}"), at("amount.match"), "takes no text"],
    ["a claim for a number", pay("{amount: {fix: '{{ user.a }}'}}"), at("amount.fix"), "takes no text"],
    ["a value that does not fit", pay("{amount: {fix: 1.5}}"), at("amount.fix"), "does not fit the tool's schema"],
    ["a value with limits", pay("{account: {fix: a, name: b}}"), at("account"), "accepted: fix alone"],
    ["a rule that says nothing", pay("{account: {}}"), at("account"), "accepted: at least one"],
    ["a pattern that is none", pay("{account: {match: '(?=a)'}}"), at("account.match"), "RE2"],
    ["a name of the environment", pay("{account: {name: '{{ env.A }}'}}"), at("account.name"), "placeholder"],
  ])("72. %s", async (_, rules, path, message) => {
    const found = await mistakes(bridge(rules));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`apps[0].tools.${path}: `);
    expect(found[0]).toContain(message);
  });

  test.each([
    ["a pointer that the schema lacks", "{remove: [/ibna]}", "remove[0]", "accepted: iban, items, free"],
    ["a name where a list is", "{remove: [/iban, /items/card]}", "remove[1]", "leads to nothing"],
    ["a number where a list is", "{remove: [/items/0/card]}", "remove[0]", '"*" stands for each item'],
    ["a pointer that is none", "{remove: [iban]}", "remove[0]", "a JSON Pointer"],
    ["a pointer to the whole", '{remove: ["/"]}', "remove[0]", "a JSON Pointer"],
    ["a pattern that is none", "{mask: [{match: '(?=a)'}]}", "mask[0].match", "; this one has "],
    ["a pattern that matches nothing at all", "{mask: [{match: '[0-9]*'}]}", "mask[0].match", "the empty text"],
    ["what is masked again", "{mask: [{match: a, with: b}, {match: b, with: c}]}", "mask[0].with", "matched by b"],
    ["a rule that says nothing", "{}", "", "neither remove nor mask"],
  ])("73. results: %s", async (_, result, path, message) => {
    const found = await mistakes(bridge(`[{tools: [pay], result: ${result}}]`));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`apps[0].tools.rules[0].result${path === "" ? "" : `.${path}`}: `);
    expect(found[0]).toContain(message);
  });

  test("73. an entry that says nothing, and no pointer that may lead to something", async () => {
    expect(await mistakes(bridge("[{tools: [pay]}]"))).toEqual([
      expect.stringContaining("neither arguments nor result nor approval"),
    ]);
    const result = "{remove: [/iban, /items/*/card, /free/a/*, /*], mask: [{match: '[0-9]{16}'}]}";
    expect(await mistakes(bridge(`[{tools: [pay], result: ${result}}]`))).toEqual([]);
    const { apps } = await configurationOf(proxy("[{tools: [pay], result: {remove: [/a], mask: [{match: b}]}}]"));
    expect(apps[0]).toMatchObject({
      rules: [{ tools: ["pay"], result: { remove: ["/a"], mask: [{ match: "b", with: "****" }] } }],
    });
  });

  test.each([
    ["an entry that says nothing", "[{tools: [pay]}]", "rules[0]", "neither arguments nor result nor approval"],
    ["nobody", approving("{separate: true}"), "rules[0].approval.by", "owners"],
    ["self beside separate", approving("{by: self, separate: true}"), "rules[0].approval.separate", "accepted: false"],
    ["a policy's variable", approving("{by: 'user.sub == \"a\"'}"), "rules[0].approval.by", "is wrong at its line 1"],
    ["an unknown member", approving("{by: approver.name == 'a'}"), "rules[0].approval.by", "no member"],
    [
      "an approver's variable",
      approving("{by: owners, when: approver.id == 'a'}"),
      "rules[0].approval.when",
      "is wrong",
    ],
    ["a long time", approving("{by: owners, expires: 25h}"), "rules[0].approval.expires", "30s to 24h"],
    [
      "what each call has anew",
      "[{tools: [pay], arguments: {account: {fix: '{{ request.id }}'}}, approval: {by: owners}}]",
      "rules[0].arguments.account.fix",
      "no approved call could be made",
    ],
  ])("76. %s of an approval", async (_, rules, path, message) => {
    const found = await mistakes(`${bridge(rules)}\n${CONSOLE}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`apps[0].tools.${path}: `);
    expect(found[0]).toContain(message);
  });

  test("76. approvers who would have to sign in where there is no Console", async () => {
    expect(await mistakes(bridge(approving("{by: owners}")))).toEqual([]);
    expect(await mistakes(bridge(approving("{by: self}")))).toEqual([expect.stringContaining("console.enabled: true")]);
  });

  test("nothing that may fit: what an MCP server's tools have is not known before", async () => {
    expect(await mistakes(proxy(pay("{acount: {hide: true}}")))).toEqual([]);
    expect(
      await mistakes(bridge(pay("{account: {fix: '{{ user.account }}'}, amount: {name: sum, allow: [1]}}"))),
    ).toEqual([]);
  });

  test("76. and approvals are read, beside arguments or alone", async () => {
    const { apps } = await configurationOf(proxy("[{tools: [pay], approval: {by: owners, when: 'true'}}]"));
    expect(apps[0]).toMatchObject({
      rules: [{ tools: ["pay"], approval: { by: "owners", when: "true", separate: false, expires: 600_000 } }],
    });
  });

  test("and are read with their templates", async () => {
    const rules = "{a: {fix: 'of {{ user.sub }}'}, b: {fix: {c: [1, null]}}, c: {fix: x}}";
    const { apps } = await configurationOf(proxy(pay(rules)));
    expect(apps[0]).toMatchObject({
      rules: [
        {
          tools: ["pay"],
          arguments: [
            { argument: "a", fix: { parts: [{ text: "of " }, { user: "sub" }] } },
            { argument: "b", fix: { value: { c: [1, null] } } },
            { argument: "c", fix: { value: "x" } },
          ],
        },
      ],
    });
  });
});
