import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../infra/node/commands/tools.ts";

const LEDGER = `openapi: 3.1.0
info: {title: Ledger, version: "1"}
servers: [{url: "https://ledger.example/v1"}]
security: [{key: []}]
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
paths:
  /payments:
    get:
      operationId: payments/list
      summary: List payments
      tags: [payments]
      parameters:
        - {name: "state[]", in: query, description: In which state., schema: {type: array, items: {enum: [open, paid]}}}
    post:
      operationId: addPayment
      summary: Add a payment
      description: "Books a payment.\\nAt \\e[31monce."
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [amount]
              properties: {amount: {type: integer}, due: {type: [string, "null"], format: date}}
      responses:
        "201": {description: Added, content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}
  /payments/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    delete: {}
    put:
      operationId: attach
      parameters: [{name: page, in: query, style: deepObject, schema: {anyOf: [{type: object}, {type: integer}]}}]
      requestBody: {content: {image/png: {}}}
    trace: {}
`;

const STOCK = `openapi: 3.0.3
info: {title: Stock, version: "1"}
paths:
  /items: {get: {operationId: listItems, summary: "List all the items that are in stock, in the order in which they came"}}
`;

const CONFIGURATION = `version: "1"
http: {publicURL: "https://gateway.example"}
oidcProvider: {region: us}
mcpProvider:
  enabled: true
  catalog: {threshold: 2}
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: https://gateway.example/.well-known/openid-configuration
          tokenValidation: {method: jwt, expectedAudiences: ["https://gateway.example/mcp"]}
apps:
  - name: ledger
    type: mcpBridge
    openapi: {spec: {uri: file://ledger.yaml}}
    authorization:
      inbound:
        cel: "true"
        rules: [{opa: {name: hours, url: "http://localhost:8181/"}}, {cel: "true"}]
        tools: [{name: addPayment, scopes: ["ledger:write", "{{ env.SCOPE }}"]}, {name: /.*/, scopes: ["ledger:read"]}]
        stepUp: [{tools: [/add.*/], acr: urn:strong, maxAge: 5m}]
      outbound:
        type: tokenExchange
        tokenExchange:
          idp: oidcProvider
          audience: https://ledger.example/
          tools: [{name: addPayment, ttl: 10s, scopes: [{name: Ledger.Write}]}]
  - name: stock
    type: mcpBridge
    openapi: {spec: {uri: file://stock.yaml}, baseURL: "http://stock.example"}
  - name: rego
    type: mcpBridge
    openapi: {spec: {uri: file://stock.yaml}, baseURL: "http://stock.example"}
    authorization: {inbound: {opa: {rego: "package a"}}}
`;

let folder: string;
let config: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-tools-"));
  config = join(folder, "countersign.yaml");
  await writeFile(config, CONFIGURATION);
  await writeFile(join(folder, "ledger.yaml"), LEDGER);
  await writeFile(join(folder, "stock.yaml"), STOCK);
});

afterAll(() => rm(folder, { recursive: true }));

/** What the command writes to stdout. */
async function tools(args: readonly string[], columns?: number): Promise<string> {
  let stdout = "";
  const io = {
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: () => undefined,
    columns,
    environment: {},
  };
  expect(await run(args, io)).toBe(0);
  return stdout;
}

const ofConfig = (...args: readonly string[]) => tools(["-config", config, ...args]);
const ofDocument = (...args: readonly string[]) => tools(["-openapi", join(folder, "ledger.yaml"), ...args]);

describe("the tools of a configuration", () => {
  test("are listed with their scopes, what was left out, and what agents see", async () => {
    expect((await ofConfig()).replaceAll(/ {2,}/g, "  ").split("\n")).toEqual([
      "NAME  APP  REQUEST  SCOPES",
      expect.stringMatching(/^ledger_payments_list_[0-9a-f]{8} {2}ledger {2}GET \/payments {2}ledger:read$/),
      "ledger_addPayment  ledger  POST /payments  ledger:write (filled at start)",
      "ledger_attach  ledger  PUT /payments/{id}  ledger:read",
      "ledger_delete_payments_id  ledger  DELETE /payments/{id}  ledger:read",
      "stock_listItems  stock  GET /items  -",
      "",
      "LEFT OUT  APP  REASON",
      "TRACE /payments/{id}  ledger  unsupported method",
      "",
      "5 tools, 1 operation left out; agents see search_tools, describe_tools and call_tool (catalog.search: auto, threshold 2)",
      "",
    ]);
  });

  test("are one JSON object, with counts and what agents see", async () => {
    const { tools: rows, ...rest } = JSON.parse(await ofConfig("-json"));
    expect(rows[1]).toEqual({
      name: "ledger_addPayment",
      localName: "addPayment",
      app: "ledger",
      method: "POST",
      path: "/payments",
      title: "Add a payment",
      scopes: ["ledger:write", null],
    });
    expect(rest).toEqual({
      leftOut: [{ operation: "TRACE /payments/{id}", app: "ledger", reason: "unsupported method" }],
      counts: { tools: 5, leftOut: 1, excluded: 0 },
      offer: { agentsSee: "search", search: "auto", threshold: 2 },
    });
  });

  test("of one app alone, with its own counts", async () => {
    const text = await ofConfig("-app", "stock");
    expect(text).toMatch(/^NAME .*\nstock_listItems .*\n\n1 tool, 0 operations left out; agents see search_tools/);
  });

  test("leave room for what was left out alone", async () => {
    const text = await ofConfig("-leftOut");
    expect(text).toMatch(/^LEFT OUT .*\nTRACE .*\n\n5 tools, 1 operation left out; /);
    expect(Object.keys(JSON.parse(await ofConfig("-leftOut", "-json")))).toEqual(["leftOut", "counts", "offer"]);
  });

  test("say when agents see them all, none, or when that is decided at start", async () => {
    const changed = join(folder, "changed.yaml");
    const lastLine = async (text: string) => {
      await writeFile(changed, CONFIGURATION.replace("{threshold: 2}", text));
      return (await tools(["-config", changed])).split("\n").at(-2);
    };
    expect(await lastLine("{}")).toMatch(/; agents see them all \(catalog.search: auto, threshold 150\)$/);
    expect(await lastLine('{search: "off"}')).toMatch(/; agents see them all \(catalog.search: off, /);
    expect(await lastLine('{search: "on", threshold: 9}')).toMatch(/; agents see search_tools, .*search: on, thre/);
    expect(await lastLine('{threshold: "{{ env.N }}"}')).toMatch(
      /is decided at start \(.* threshold filled at start\)$/,
    );
    await writeFile(changed, CONFIGURATION.replace("enabled: true", "enabled: false"));
    expect(await tools(["-config", changed])).toMatch(/agents see none of them: mcpProvider is not enabled\n$/);
  });
});

describe("a search", () => {
  test("finds what agents would find, the best first, among the chosen apps", async () => {
    const { tools: rows, ...rest } = JSON.parse(await ofConfig("-search", "add a new payment", "-json"));
    expect(rows[0].name).toBe("ledger_addPayment");
    expect(rest).toEqual({ found: rows.length, counts: expect.anything(), offer: expect.anything() });
    expect(await ofConfig("-search", "stocked items")).toMatch(/\nstock_listItems .*\n\n1 of 5 tools found\n$/);
    expect(await ofConfig("-search", "stocked items", "-app", "ledger")).toBe("0 of 4 tools found\n");
  });
});

describe("one tool", () => {
  test("is shown in full: its request, its rules, and where each argument goes", async () => {
    const lines = (await ofConfig("-tool", "ledger_addPayment")).replaceAll(/ {2,}/g, "  ").split("\n");
    expect(lines).toEqual([
      "ledger_addPayment",
      "",
      "Add a payment",
      "",
      "Books a payment.",
      "At  [31monce.",
      "",
      "NAME IN RULES  addPayment",
      "APP  ledger",
      "REQUEST  POST /payments",
      "AT  https://ledger.example/v1",
      "BODY  application/json",
      "ACCEPT  application/json",
      "SECURITY  key",
      "ANNOTATIONS  none",
      "OUTPUT SCHEMA  yes",
      "SCOPES  ledger:write (filled at start)",
      "POLICIES  cel hours rules[1].cel",
      "STEP-UP  acr urn:strong; signed in at most 5m ago",
      "CARRIES  a token (delegation) from oidcProvider for https://ledger.example/ with scopes Ledger.Write for 10s",
      "",
      "ARGUMENT  TYPE  REQUIRED  SENT IN  DESCRIPTION",
      "amount  integer  yes  body",
      "due  string (date) | null  body",
      "",
    ]);
  });

  test("is one JSON object with its schemas", async () => {
    const facts = JSON.parse(await ofConfig("-tool", "stock_listItems", "-json"));
    expect(facts).toMatchObject({
      name: "stock_listItems",
      localName: "listItems",
      app: "stock",
      baseURL: "http://stock.example",
      arguments: [],
      inputSchema: { type: "object" },
      scopes: [],
      policies: [],
      credential: {},
    });
  });

  test("whose argument has another name on the wire says so, and what no entry names has no scopes", async () => {
    const { tools: rows } = JSON.parse(await ofConfig("-json"));
    const text = await ofConfig("-tool", rows[0].name);
    expect(text).toMatch(/\nstate_+[0-9a-f]{8} +array of \("open" \| "paid"\) +query as state\[\] +In which state\.\n/);
    expect(text).toMatch(/\nCARRIES +a token .* with no scopes for 60s\n/);
    expect(text).toContain("\nNAME IN RULES  payments/list\n");
  });

  test("has types in a few words, styles, and files", async () => {
    const text = (await ofDocument("-tool", "ledger_attach")).replaceAll(/ {2,}/g, "  ");
    expect(text).toContain("\nBODY  image/png, optional\n");
    expect(text.split("\n").slice(-4)).toEqual([
      "id  string  yes  path",
      "page  object | integer  query (deepObject)",
      "body  object  body (file)",
      "",
    ]);
  });

  test("that there is not is answered with names like it", async () => {
    await expect(ofConfig("-tool", "addPayment")).rejects.toThrow(
      "There is no tool addPayment; did you mean ledger_addPayment?",
    );
    await expect(ofConfig("-tool", "ledger_adPaymnet")).rejects.toThrow("did you mean ledger_addPayment");
    await expect(ofConfig("-tool", "nothing like it")).rejects.toThrow("without -tool, all are listed");
  });
});

describe("the tools of a document alone", () => {
  test("are named after the file, with their titles", async () => {
    const text = await ofDocument();
    expect(text).toMatch(/^NAME +REQUEST +TITLE\nledger_payments_list_\w+ +GET \/payments +List payments\n/);
    expect(text).toMatch(
      /\n4 tools, 1 operation left out; agents see them all \(catalog.search: auto, threshold 150\)\n$/,
    );
  });

  test("are named after -app, where that is given", async () => {
    expect(await ofDocument("-app", "money")).toMatch(/\nmoney_addPayment /);
  });

  test("need no server in the document", async () => {
    const text = await tools(["-openapi", join(folder, "stock.yaml"), "-tool", "stock_listItems"]);
    expect(text).toMatch(/\nAT +\(the document names no server\)\n/);
    expect(text).not.toContain("SCOPES");
  });

  test("are cut to the width of a terminal, names last, and never in JSON", async () => {
    const args = ["-openapi", join(folder, "stock.yaml")];
    const [, row = ""] = (await tools(args, 60)).split("\n");
    expect(row).toHaveLength(60);
    expect(row).toMatch(/^stock_listItems {2}GET \/items {2}List all the items .*…$/);
    expect(await tools(args)).toContain("in the order in which they came\n");
    expect(JSON.parse(await tools([...args, "-json"], 60)).tools[0].title).toMatch(/they came$/);
  });

  test("that has mistakes are told with their places", async () => {
    const file = join(folder, "bad.yaml");
    await writeFile(file, "info: {title: Bad}\nopenapi: 4.0.0\n");
    await expect(tools(["-openapi", file])).rejects.toThrow(`${file}:2:1: /openapi: version "4.0.0" is not supported`);
    await expect(tools(["-openapi", join(folder, "gone.yaml")])).rejects.toThrow("gone.yaml: cannot be read: no such");
    await expect(tools(["-openapi", "http://a.example/b"])).rejects.toThrow("accepted are a file and an https URL");
  });
});

test("an app that there is not, or that is not served, is answered with what there is", async () => {
  await expect(ofConfig("-app", "leger")).rejects.toThrow("There is no app leger with tools; accepted: ledger, stock.");
  await expect(ofConfig("-app", "rego")).rejects.toThrow("The app rego is not served: this version does not evaluate");
});

test("flags that say two things are refused", async () => {
  await expect(ofConfig("-tool", "a", "-search", "b")).rejects.toThrow("-tool and -search exclude each other.");
  await expect(ofConfig("-openapi", "a.yaml")).rejects.toThrow("-config and -openapi exclude each other.");
});
