import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { issueToken } from "../../behaviour/fixture.ts";
import { mcpURL, post } from "../../behaviour/gateway-fixture.ts";
import { startUpstream } from "../../support/upstream.ts";
import { bridgeApp, NOTES_APP } from "../../support/yaml.ts";
import type { Attack } from "../attack.ts";
import { clientOf, tenants } from "../tenants.ts";

/** What is inside of one argument, by any style, arrives as no other parameter of the API. */
export const pollutedParameters: Attack = {
  name: "polluted-parameters",
  checklist: 44,
  runtimes: ["node", "workerd", "lambda"],
  async play({ start, atTheEnd }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const configuration = behaviourConfiguration.replace(NOTES_APP, bridgeApp("bank", DOCUMENT) + POLICY);
    const region = await start({ configuration, variables: { UPSTREAM_URL: upstream.url } });
    const { first: victim } = await tenants(region);
    const client = await clientOf(victim, { resources: [mcpURL(region)] });
    const token = await issueToken(region, client, { resource: mcpURL(region) });
    const arrived = async (calls: readonly Call[]) => {
      const before = upstream.requests.length;
      for (const [name, given] of calls) {
        const params = { name: `bank_${name}`, arguments: given };
        const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
        await (await post(region, message, { authorization: `Bearer ${token}` })).text();
      }
      return upstream.requests.length - before;
    };
    const harmless = await arrived(HARMLESS);
    const hostile = await arrived(HOSTILE);
    return [
      { name: "harmless calls that did not arrive", value: HARMLESS.length - harmless, limit: 0, unit: "" },
      { name: "hostile calls", value: HOSTILE.length, unit: "" },
      { name: "hostile calls that reached the API", value: hostile, limit: 0, unit: "" },
    ];
  },
};

type Call = readonly [tool: string, given: unknown];

/** Amounts above 100 are for nobody. */
const POLICY = `    authorization:
      inbound:
        rules:
          - cel: >-
              !has(request.mcp.tool.params.arguments.amount) ||
              request.mcp.tool.params.arguments.amount <= 100
`;

const FREE = { type: "object", additionalProperties: true };
const ORDER = { type: "object", properties: { amount: { type: "number", maximum: 100 } } };
const PAYMENT = {
  type: "object",
  properties: { to: { type: "string" }, amount: { type: "number" }, order: ORDER, extra: FREE },
};

function pay(operationId: string, type: string, encoding: object) {
  const content = { [type]: { schema: PAYMENT, encoding: { extra: encoding } } };
  return { post: { operationId, requestBody: { content }, responses: { 200: { description: "Paid." } } } };
}

function find(operationId: string, place: string, style: object) {
  const limit = { name: "limit", in: place, schema: { type: "integer", maximum: 10 } };
  const schema = { ...FREE, properties: { deep: FREE } };
  const filter = { name: "filter", in: place, schema, ...style };
  return { get: { operationId, parameters: [limit, filter], responses: { 200: { description: "Found." } } } };
}

/** JSON is YAML. */
const DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "bank", version: "1" },
  paths: {
    "/form": pay("form", "application/x-www-form-urlencoded", { style: "form", explode: true }),
    "/multipart": pay("multipart", "multipart/form-data", { style: "form", explode: true }),
    "/deepform": pay("deepForm", "application/x-www-form-urlencoded", { style: "deepObject" }),
    "/json": pay("json", "application/json", {}),
    "/find": find("find", "query", {}),
    "/deep": find("deep", "query", { style: "deepObject" }),
    "/packed": find("packed", "query", { explode: false }),
    "/cookie": find("cookie", "cookie", {}),
  },
});

const HARMLESS: readonly Call[] = [
  ["form", { to: "x", amount: 100, extra: { note: "y" } }],
  ["multipart", { to: "x", amount: 100, extra: { note: "y" } }],
  ["deepForm", { to: "x", extra: { note: { a: ["y"] } } }],
  ["json", { to: "x", order: { amount: 5, note: "y" }, extra: { Note: "y", note: "z" } }],
  ["find", { limit: 5, filter: { kind: "a" } }],
  ["deep", { limit: 5, filter: { deep: { role: "user" }, limit: 1 } }],
  ["packed", { limit: 5, filter: { kind: "a" } }],
  ["cookie", { limit: 5, filter: { kind: "a" } }],
];

/** Spellings that some server reads as the name, or as the name and something else. */
function spellings(name: string): readonly string[] {
  const [first = "", rest] = [name[0], name.slice(1)];
  return [
    name,
    first.toUpperCase() + rest,
    name.toUpperCase(),
    ...["[]", "[0]", "[x]", ".x", " ", "\0", "%00", "%5B%5D", "\u00ad"].map((end) => name + end),
    ...["x&", "x;", "x=1&", "x\r\n", "x; ", "x%26", " ", "\u200b", "x,1,"].map((start) => start + name),
    String.fromCharCode(first.charCodeAt(0) + 0xfee0) + rest,
    name.replace("i", "\u0131"),
  ].filter((one, index, all) => all.indexOf(one) === index);
}

const OTHERS = ["_method", "_charset_", "access_token", "__proto__", "constructor", 'x"; filename="a', "$Path"];

const HOSTILE: readonly Call[] = [
  ...["form", "multipart"].flatMap((tool) =>
    [...spellings("amount"), ...OTHERS.slice(0, 6)].map((name): Call => [tool, payment({ [name]: 5000 })]),
  ),
  ...["find", "cookie"].flatMap((tool) =>
    [...spellings("limit"), ...OTHERS.slice(2, 6)].map((name): Call => [tool, { limit: 5, filter: { [name]: 1000 } }]),
  ),
  ["cookie", { filter: { $Path: "/" } }],
  ...["deep[role]", "deep][role", "Deep", "deep.role", "de\u00adep", "a&limit", "a=1&limit"].flatMap((name): Call[] => [
    ["deep", { filter: { [name]: "admin" } }],
    ["deep", { filter: { deep: { "a[b]": 1 }, [name]: "admin" } }],
  ]),
  ["deepForm", payment({ "deep[role]": "admin" })],
  ["deepForm", payment({ a: { "b]&amount[": 5000 } })],
  ...["Amount", "AMOUNT", "\uff41mount", "am\u00adount"].map((name): Call => ["json", { order: { [name]: 5000 } }]),
  ["packed", { filter: { x: "1,limit,1000" } }],
  ["packed", { filter: { "x,1,limit": "1000" } }],
];

function payment(extra: object) {
  return { to: "x", extra };
}
