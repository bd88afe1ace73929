import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../../infra/node/commands/tools.ts";
import { createWorkplace, LEDGER, tools, type Workplace } from "./workplace.ts";

let workplace: Workplace;

beforeAll(async () => {
  workplace = await createWorkplace();
});

afterAll(() => workplace.remove());

const ofDocument = (...args: readonly string[]) => workplace.ofDocument(...args);

describe("the tools of a document alone", () => {
  test("are named after the file, with their titles", async () => {
    const text = await ofDocument();
    expect(text).toMatch(/^NAME +REQUEST +TITLE\nledger_payments_list_\w+ +GET \/payments +List payments\n/);
    expect(text).toMatch(
      /\n4 tools, 1 operation left out; shown to agents: 4 tools, 1,\d{3} characters \(catalog.search: auto, threshold 150\)\n$/,
    );
  });

  test("are said to be searched where few are too long for a list", async () => {
    const file = join(workplace.folder, "long.yaml");
    await writeFile(file, LEDGER.replace("[open, paid]", `[open, ${"x".repeat(400_000)}]`));
    const text = await tools(["-openapi", file]);
    expect(text).toMatch(
      /; shown to agents: search_tools, .* instead of 4 tools, 40\d,\d{3} characters \(catalog.search: auto, /,
    );
  });

  test("are named after -app, where that is given", async () => {
    expect(await ofDocument("-app", "money")).toMatch(/\nmoney_addPayment /);
  });

  test("come from all the files that it leads to", async () => {
    await writeFile(
      join(workplace.folder, "root.yaml"),
      LEDGER.replace(/paths:.*/s, "paths: {/parts: {$ref: part.yaml}}\n"),
    );
    await writeFile(join(workplace.folder, "part.yaml"), "get: {operationId: getPart, responses: {}}\n");
    expect(await tools(["-openapi", join(workplace.folder, "root.yaml")])).toMatch(
      /\nroot_getPart +GET \/parts\n\n1 tool, /,
    );
  });

  test("need no server in the document", async () => {
    const text = await tools(["-openapi", join(workplace.folder, "stock.yaml"), "-tool", "stock_listItems"]);
    expect(text).toMatch(/\nAT +\(the document names no absolute URL\)\n/);
    expect(text).not.toContain("SCOPES");
  });

  test("are cut to the width of a terminal, names last, and never in JSON", async () => {
    const args = ["-openapi", join(workplace.folder, "stock.yaml")];
    const [, row = ""] = (await tools(args, 60)).split("\n");
    expect(row).toHaveLength(60);
    expect(row).toMatch(/^stock_listItems {2}GET \/items {2}List all the items .*…$/);
    expect(await tools(args)).toContain("in the order in which they came\n");
    expect(JSON.parse(await tools([...args, "-json"], 60)).tools[0].title).toMatch(/they came$/);
  });

  test("come with what is wrong with the document and costs none of them itself", async () => {
    const file = join(workplace.folder, "odd.yaml");
    await writeFile(file, LEDGER.replace("in: query, description", '"in": "quer\\ey", description'));
    const written: string[] = [];
    const io = { stdout: () => undefined, stderr: (text: string) => written.push(text), environment: {} };
    expect(await run(["-openapi", file], io)).toBe(0);
    expect(written).toEqual([
      expect.stringMatching(/^1 tool lacks an argument, because .*"quer y"; did you mean "query"\? \(warning\)\n$/),
    ]);
  });

  test("that has mistakes are told with their places", async () => {
    const file = join(workplace.folder, "bad.yaml");
    await writeFile(file, "info: {title: Bad}\nopenapi: 4.0.0\n");
    await expect(tools(["-openapi", file])).rejects.toThrow(`${file}:2:1: /openapi: version "4.0.0" is not supported`);
    await expect(tools(["-openapi", join(workplace.folder, "gone.yaml")])).rejects.toThrow(
      "gone.yaml: cannot be read: no such",
    );
    await expect(tools(["-openapi", "http://a.example/b"])).rejects.toThrow("accepted are a file and an https URL");
  });
});
