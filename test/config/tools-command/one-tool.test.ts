import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONFIGURATION, createWorkplace, tools, type Workplace } from "./workplace.ts";

let workplace: Workplace;

beforeAll(async () => {
  workplace = await createWorkplace();
});

afterAll(() => workplace.remove());

const ofConfig = (...args: readonly string[]) => workplace.ofConfig(...args);
const ofDocument = (...args: readonly string[]) => workplace.ofDocument(...args);

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
      "body  object {data, text}  body (file)",
      "",
    ]);
  });

  test("that needs the person's own account says at which connector, and with which scopes", async () => {
    const file = join(workplace.folder, "accounts.yaml");
    const outbound = `outbound: {type: userToken, userToken: {connector: bank, scopes: [read], tools: [{name: addPayment, scopes: [{name: pay}]}]}}`;
    const bank = `{name: bank, type: oauth, oauthClientID: c, authorizationURL: "https://bank.example/a", tokenURL: "https://bank.example/t"}`;
    const text = CONFIGURATION.replace(/outbound:\n(?: {8}.*\n)+/, `${outbound}\n`);
    await writeFile(file, `${text}connectors: [${bank}]\nvault: {keys: [${"A".repeat(43)}]}\n`);
    const shown = async (name: string) => tools(["-config", file, "-tool", name]);
    expect(await shown("addPayment")).toMatch(
      /\nCARRIES +the token of the person's own account at bank with scopes read pay\n/,
    );
    expect(await shown("attach")).toMatch(/\nCARRIES .* at bank with scopes read\n/);
  });

  test("that there is not is answered with names like it", async () => {
    await expect(ofConfig("-tool", "ledger_adPaymnet")).rejects.toThrow("did you mean ledger_addPayment");
    await expect(ofConfig("-tool", "nothing like it")).rejects.toThrow("without -tool, all are listed");
  });

  test("is found by the name that rules have for it, where one app has it", async () => {
    expect(await ofConfig("-tool", "addPayment")).toMatch(/^ledger_addPayment\n/);
    expect(await ofConfig("-tool", "payments/list")).toMatch(/\nNAME IN RULES +payments\/list\n/);
  });

  test("that is left out is answered with the reason", async () => {
    const { leftOut } = JSON.parse(await ofConfig("-leftOut", "-json"));
    const [{ localName }] = leftOut;
    const reason = "TRACE /payments/{id} is left out: unsupported method.";
    await expect(ofConfig("-tool", localName)).rejects.toThrow(reason);
    await expect(ofDocument("-tool", `ledger_${localName}`)).rejects.toThrow(reason);
  });

  test("that the configuration excludes is answered with the key that does it", async () => {
    const file = join(workplace.folder, "curated.yaml");
    const spec = "openapi: {spec: {uri: file://ledger.yaml}";
    await writeFile(file, CONFIGURATION.replace(spec, `${spec}, exclude: [attach]`));
    const reason = "PUT /payments/{id} is excluded by openapi.exclude of the app ledger.";
    for (const name of ["ledger_attach", "attach"]) {
      await expect(tools(["-config", file, "-tool", name])).rejects.toThrow(`There is no tool ${name}: ${reason}`);
    }
    await expect(tools(["-config", file, "-tool", "ledger_adPaymnet"])).rejects.toThrow("did you mean");
  });
});
