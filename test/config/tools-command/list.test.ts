import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run as validate } from "../../../infra/node/commands/validate.ts";
import { CONFIGURATION, createWorkplace, LEDGER, tools, type Workplace } from "./workplace.ts";

let workplace: Workplace;

beforeAll(async () => {
  workplace = await createWorkplace();
});

afterAll(() => workplace.remove());

const ofConfig = (...args: readonly string[]) => workplace.ofConfig(...args);

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
      "5 tools, 1 operation left out; shown to agents: search_tools, describe_tools and call_tool instead of 5 tools, 1,733 characters (catalog.search: auto, threshold 2)",
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
      leftOut: [
        {
          operation: "TRACE /payments/{id}",
          localName: expect.any(String),
          app: "ledger",
          reason: "unsupported method",
        },
      ],
      counts: { tools: 5, leftOut: 1, excluded: 0 },
      offer: { agentsSee: "search", search: "auto", threshold: 2, tools: 5, characters: 1_733, servers: 0 },
    });
  });

  test("of one app alone, with its own counts", async () => {
    const text = await ofConfig("-app", "stock");
    expect(text).toMatch(
      /^NAME .*\nstock_listItems .*\n\n1 tool, 0 operations left out; shown to agents: search_tools/,
    );
  });

  test("leave room for what was left out alone", async () => {
    const text = await ofConfig("-leftOut");
    expect(text).toMatch(/^LEFT OUT .*\nTRACE .*\n\n5 tools, 1 operation left out; /);
    expect(Object.keys(JSON.parse(await ofConfig("-leftOut", "-json")))).toEqual(["leftOut", "counts", "offer"]);
  });

  test("say when agents see them all, none, or when that is decided at start", async () => {
    const changed = join(workplace.folder, "changed.yaml");
    const lastLine = async (text: string) => {
      await writeFile(changed, CONFIGURATION.replace("{threshold: 2}", text));
      return (await tools(["-config", changed])).split("\n").at(-2);
    };
    expect(await lastLine("{}")).toMatch(
      /; shown to agents: 5 tools, 1,733 characters \(catalog.search: auto, threshold 150\)$/,
    );
    expect(await lastLine('{search: "off"}')).toMatch(/; shown to agents: 5 tools, .*\(catalog.search: off, /);
    expect(await lastLine('{search: "on", threshold: 9}')).toMatch(
      /; shown to agents: search_tools, .*search: on, thre/,
    );
    expect(await lastLine('{threshold: "{{ env.N }}"}')).toMatch(
      /is decided at start \(.* threshold filled at start\)$/,
    );
    await writeFile(changed, CONFIGURATION.replace("enabled: true", "enabled: false"));
    expect(await tools(["-config", changed])).toMatch(/agents see none of them: mcpProvider is not enabled\n$/);
  });
});

test("validate warns of a list that is longer than many models read, where the configuration asks for it", async () => {
  const file = join(workplace.folder, "long.yaml");
  const document = LEDGER.replace("[open, paid]", `[open, ${"x".repeat(400_000)}]`);
  await writeFile(join(workplace.folder, "long-ledger.yaml"), document);
  const said = async (catalog: string) => {
    const text = CONFIGURATION.replace("ledger.yaml", "long-ledger.yaml").replace("{threshold: 2}", catalog);
    await writeFile(file, text);
    let written = "";
    const io = { stdout: () => undefined, stderr: (line: string) => (written += line), environment: {} };
    expect(await validate(["-config", file], io)).toBe(0);
    return written;
  };
  expect(await said('{search: "off"}')).toMatch(
    /long.yaml: mcpProvider.catalog.search: with off agents are shown 5 tools, 40\d,\d{3} characters: more than many models read \(warning\)\n/,
  );
  expect(await said("{}")).not.toContain("models read");
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

test("an app that there is not is answered with what there is", async () => {
  await expect(ofConfig("-app", "leger")).rejects.toThrow("There is no app leger with tools; accepted: ledger, stock.");
});

test("flags that say two things are refused", async () => {
  await expect(ofConfig("-tool", "a", "-search", "b")).rejects.toThrow("-tool and -search exclude each other.");
  await expect(ofConfig("-openapi", "a.yaml")).rejects.toThrow("-config and -openapi exclude each other.");
});
