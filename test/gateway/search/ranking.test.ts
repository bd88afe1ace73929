import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { compileCatalog } from "../../../lib/openapi/compile.ts";
import { createFindTools, type FindTools, indexEntry } from "../../../lib/search/find-tools.ts";
import type { SearchedTool } from "../../../lib/search/searched-tool.ts";
import { createGrowingTextIndex } from "../../../lib/search/text-index.ts";

const { resolve } = createRequire(import.meta.url);
const DOCUMENTS = [
  ["petstore", resolve("@readme/oas-examples/3.0/json/petstore.json")],
  ["star-trek", resolve("@readme/oas-examples/3.0/json/star-trek.json")],
  ["notes", new URL("../../support/upstream.openapi.yaml", import.meta.url)],
] as const;

let tools: readonly SearchedTool[];
let find: FindTools;
beforeAll(async () => {
  const catalogs = DOCUMENTS.map(async ([app, file]) => {
    const result = await compileCatalog(readFileSync(file, "utf8"), { app, namespace: { disabled: false } });
    if ("errors" in result) throw new Error(JSON.stringify(result.errors));
    return result.catalog.tools.map((tool) => ({ tool, app: { name: app } }));
  });
  tools = (await Promise.all(catalogs)).flat();
  find = createFindTools(tools);
});

describe("a question in plain words finds", () => {
  test.each([
    ["throw away a note", "notes_deleteNote"],
    ["write something down in my notes", "notes_createNote"],
    ["which tags are there", "notes_listTags"],
    ["a new pet for the shop", "petstore_addPet"],
    ["remove a pet", "petstore_deletePet"],
    ["pets by their status", "petstore_findPetsByStatus"],
    ["picture of a pet", "petstore_uploadFile"],
    ["buy a pet from the store", "petstore_placeOrder"],
    ["how much is in stock: inventory", "petstore_getInventory"],
    ["sign in with a password", "petstore_loginUser"],
    ["search for spacecraft", "star-trek_post_spacecraft_search"],
    ["getPetById", "petstore_getPetById"],
    ["petstore delete order", "petstore_deleteOrder"],
    ["inventry", "petstore_getInventory"],
  ])("%s: %s among the first five", (question, name) => {
    expect(find(question).slice(0, 5)).toContain(name);
  });

  test("nothing where no word is known, and nothing where there is no word", () => {
    expect(find("zzzzzz qqqqqq")).toEqual([]);
    expect(find("")).toEqual([]);
    expect(find("—")).toEqual([]);
  });
});

test("a tool with all words stands before one with some, and one of those words alone before one with more", () => {
  const tool = (localName: string, title: string): SearchedTool => ({
    tool: { name: localName, localName, title, method: "POST", path: `/${localName}`, annotations: {} },
    app: { name: "a" },
  });
  const found = createFindTools([
    tool("one", "Delete a secret of a repository for an environment"),
    tool("two", "Delete a repository"),
    tool("three", "Rename a repository"),
  ]);
  expect(found("delete a repository")).toEqual(["two", "one", "three"]);
});

test("of two tools that do the same the one for a single thing stands first, unless many are asked for", () => {
  const tool = (localName: string): SearchedTool => ({
    tool: { name: localName, localName, method: "POST", path: "/books", annotations: {} },
    app: { name: "a" },
  });
  const found = createFindTools([tool("bulkLendBook"), tool("lendBook")]);
  expect(found("lend a book")).toEqual(["lendBook", "bulkLendBook"]);
  expect(found("lend books in bulk")).toEqual(["bulkLendBook", "lendBook"]);
});

test("an index that grows after a question finds what it had and what it got", () => {
  const entry = (localName: string) =>
    indexEntry({ tool: { name: localName, localName, annotations: {} }, app: { name: "a" } });
  const index = createGrowingTextIndex<string>();
  expect(index.find("book")).toEqual([]);
  index.add(["getBook", "getPet"].map(entry));
  expect(index.find("book")).toEqual(["getBook"]);
  index.add(["lendBook", "getCar"].map(entry));
  expect(new Set(index.find("book"))).toEqual(new Set(["getBook", "lendBook"]));
  expect(index.find("pet")).toEqual(["getPet"]);
  expect(index.find("car")).toEqual(["getCar"]);
});

test("a word with one letter too many, too few, wrong or exchanged is found", () => {
  const tools = ["listInvoices", "listPets"].map((localName) => ({
    tool: { name: localName, localName, annotations: {} },
    app: { name: "a" },
  }));
  const found = createFindTools(tools);
  for (const word of ["innvoices", "invices", "inqoices", "inovices"]) expect(found(word)).toEqual(["listInvoices"]);
  expect(found("inqqices")).toEqual([]);
});

test("any text is a question, and any text may describe a tool", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("constructor", "__proto__", "toString", "a".repeat(1_000)),
  );
  fc.assert(
    fc.property(text, text, (described, question) => {
      const tool = { name: "a", localName: described, title: described, description: described, tags: [described] };
      const all = { ...tool, method: "GET", path: `/${described}`, annotations: {} };
      const found = createFindTools([{ tool: all, app: { name: described } }])(question);
      expect(found.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 50 },
  );
  const named = (localName: string) => ({
    tool: { name: localName, localName, method: "GET", path: "/", annotations: {} },
    app: { name: "app" },
  });
  expect(createFindTools([named("constructor"), named("toString")])("constructor")).toEqual(["constructor"]);
});
