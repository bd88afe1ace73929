import { describe, expect, test } from "vitest";
import { toolPattern } from "../../lib/config/tool-names.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { type Curation, createCurator, NO_CURATION } from "../../lib/openapi/curation.ts";

const operation = (operationId: string | undefined, tags: readonly string[], more: object = {}) => ({
  ...(operationId !== undefined && { operationId }),
  tags,
  responses: { 200: { description: "Fine." } },
  ...more,
});
const body = (name: string) => ({
  requestBody: { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } },
});
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Books", version: "1" },
  paths: {
    "/books": { get: operation("listBooks", ["books"]), post: operation("addBook", ["books"], body("Book")) },
    "/authors": { get: operation("listAuthors", ["authors"]), post: operation(undefined, ["authors"], body("Author")) },
  },
  components: { schemas: { Book: { type: "string" }, Author: { type: "integer" } } },
};
const BROKEN = { get: { operationId: "broken", parameters: [{ $ref: "#/components/parameters/Gone" }] } };

async function curated(
  curation: Partial<Record<"include" | "exclude", readonly string[]>> & Partial<Pick<Curation, "overrides">>,
  document: object = DOCUMENT,
) {
  const patterns = (texts: readonly string[] = []) => texts.map((text) => ({ text, matches: toolPattern(text) }));
  const { overrides = NO_CURATION.overrides } = curation;
  const curator = createCurator({
    include: patterns(curation.include),
    exclude: patterns(curation.exclude),
    overrides,
  });
  const options = { app: "app", namespace: { disabled: false, name: "b_" }, curator };
  const result = await compileCatalog(JSON.stringify(document), options);
  if ("errors" in result) return { errors: result.errors.map(({ message }) => message), findings: curator.findings() };
  return {
    catalog: result.catalog,
    tools: result.catalog.tools.map(({ localName }) => localName),
    findings: curator.findings(),
  };
}

describe("include and exclude", () => {
  const all = ["listBooks", "addBook", "listAuthors", "post_authors"];

  test.each([
    ["nothing", {}, all],
    ["an operationId", { include: ["addBook"] }, ["addBook"]],
    ["a tag", { include: ["authors"] }, ["listAuthors", "post_authors"]],
    ["a method and path", { include: ["POST /authors"] }, ["post_authors"]],
    ["an expression, as a whole", { include: ["/list.*/", "/POST/"] }, ["listBooks", "listAuthors"]],
    ["exclude alone", { exclude: ["/POST .*/"] }, ["listBooks", "listAuthors"]],
    ["exclude after include", { include: ["books"], exclude: ["addBook"] }, ["listBooks"]],
  ])("%s", async (_, curation, expected) => {
    const { catalog, tools } = await curated(curation);
    expect(tools).toEqual(expected);
    expect(catalog?.leftOut).toEqual([]);
    expect(catalog?.excluded ?? 0).toBe(all.length - expected.length);
  });

  test("an operation that stands elsewhere is known by its name there", async () => {
    const paths = { "/elsewhere": { get: { $ref: "#/components/x-elsewhere" } }, "/gone": { get: { $ref: "#/gone" } } };
    const components = { ...DOCUMENT.components, "x-elsewhere": operation("elsewhere", []) };
    const document = { ...DOCUMENT, paths, components };
    expect(await curated({ include: ["elsewhere"] }, document)).toMatchObject({
      tools: ["elsewhere"],
      catalog: { leftOut: [] },
    });
  });

  test("what is not needed any more is not in the catalog", async () => {
    const { catalog } = await curated({ exclude: ["authors"] });
    expect(Object.keys(catalog?.definitions.input ?? {})).toEqual(["Book"]);
  });

  test.each([
    ["an operation", { "/broken": BROKEN }, ["broken"]],
    ["an operation that is no object", { "/broken": { get: 1 } }, ["GET /broken"]],
    ["parameters of a path", { "/broken": { parameters: 1, get: operation("broken", []) } }, ["broken"]],
    ["a path", { broken: { get: operation("broken", []) } }, ["broken"]],
    ["a path whose operations are not known", { "/broken": { $ref: "#/gone" } }, ["/.* /broken/"]],
  ])("%s that is broken can be excluded", async (_, paths, exclude) => {
    const document = { ...DOCUMENT, paths: { ...DOCUMENT.paths, ...paths } };
    const { errors, catalog } = await curated({ exclude }, document);
    expect(errors).toBeUndefined();
    expect(catalog?.leftOut).toEqual([]);
    expect((await curated({ include: ["books"] }, document)).catalog?.leftOut).toEqual([]);
  });

  test("what came to nothing is told", async () => {
    const { findings } = await curated({ include: ["books", "boks"], exclude: ["/get.*/"] });
    expect(findings.unmatched.map(({ text }) => text)).toEqual(["boks", "/get.*/"]);
    expect(findings.candidates).toEqual(expect.arrayContaining(["listBooks", "authors", "POST /authors"]));
    expect(findings.isEmpty).toBe(false);
    expect((await curated({ include: ["books"], exclude: ["books"] })).findings.isEmpty).toBe(true);
  });
});

describe("overrides", () => {
  const overriding = (overrides: Readonly<Record<string, object>>) =>
    curated({ overrides: new Map(Object.entries(overrides)) });

  test("change what agents and policies see, with the namespace in front, and merge annotations", async () => {
    const annotations = { title: "Find books", openWorldHint: false, readOnlyHint: false };
    const { catalog } = await overriding({ listBooks: { name: "find.books", description: "All books.", annotations } });
    const [first, ...others] = catalog?.tools ?? [];
    expect(first).toMatchObject({
      name: expect.stringMatching(/^b_find_books_[0-9a-f]{8}$/),
      localName: "find.books",
      title: "Find books",
      description: "All books.",
      annotations,
      path: "/books",
    });
    expect(others).toHaveLength(3);
    expect(others[0]).toMatchObject({ name: "b_addBook", localName: "addBook", annotations: {} });
  });

  test("have a title before that of the annotations", async () => {
    const { catalog } = await overriding({
      listBooks: { title: "Books", annotations: { title: "Find books" } },
      addBook: { title: "Add" },
    });
    expect(catalog?.tools.slice(0, 2)).toMatchObject([
      { title: "Books", annotations: { title: "Find books" } },
      { title: "Add", annotations: {} },
    ]);
  });

  test("may let tools change their names with each other", async () => {
    const { tools, findings } = await overriding({ listBooks: { name: "addBook" }, addBook: { name: "listBooks" } });
    expect(tools?.slice(0, 2)).toEqual(["addBook", "listBooks"]);
    expect(findings).toMatchObject({ clashing: [], unknown: [] });
  });

  test("of no tool, and to a name that another has, are told", async () => {
    const { findings } = await overriding({
      gone: {},
      listBooks: { name: "addBook" },
      listAuthors: { name: "addBook" },
    });
    expect(findings).toMatchObject({ unknown: ["gone"], clashing: ["listBooks", "listAuthors"] });
  });
});
