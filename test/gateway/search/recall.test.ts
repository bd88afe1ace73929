import { describe, expect, test } from "vitest";
import { compileCatalog } from "../../../lib/openapi/compile.ts";
import { createFindTools } from "../../../lib/search/find-tools.ts";
import { read } from "../../openapi/documents.ts";
import { answersAbout, foundAmong, QUESTION_FILES, questionsOf } from "../../openapi/search-quality.ts";

type Row = readonly [method: string, path: string, summary: string, description?: string];

/** A document with these operations, under a tag that it describes. */
const documentOf = (rows: readonly Row[], tag: { readonly name: string; readonly description: string }): string => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [method, path, summary, description] of rows) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
    const operation = { summary, description, tags: [tag.name], parameters, responses: { "200": { description: "" } } };
    paths[path] = { ...paths[path], [method]: operation };
  }
  return JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, tags: [tag], paths });
};

const titlesFound = async (document: string, question: string): Promise<readonly (string | undefined)[]> => {
  const result = await compileCatalog(document, { app: "a", namespace: { disabled: true } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  const { catalog } = result;
  const titles = new Map(catalog.tools.map(({ name, title }) => [name, title]));
  const find = createFindTools(catalog.tools.map((tool) => ({ tool, app: { name: "a", catalog } })));
  return find(question).map((name) => titles.get(name));
};

const TRACKER: readonly Row[] = [
  ["post", "/issue", "Create issue"],
  ["get", "/issue/{id}", "Get issue"],
  ["put", "/issue/{id}", "Edit issue", "Changes fields of an issue."],
  ["delete", "/issue/{id}", "Delete issue"],
  ["put", "/issue/{id}/assignee", "Assign issue"],
  ["get", "/issue/{id}/transitions", "Get transitions", "What an issue can become from its status."],
  ["post", "/issue/{id}/transitions", "Transition issue", "Changes the status of an issue."],
  ["put", "/issuetype/{id}", "Update issue type"],
  ["put", "/issuelinktype/{id}", "Update issue link type"],
  ["get", "/status", "Get all statuses"],
];
const FILES: readonly Row[] = [
  ["post", "/folders", "Create folder", "Creates an empty folder within another folder."],
  ["get", "/folders/{id}", "Get folder information"],
  ["put", "/folders/{id}", "Update folder", "Moves, renames or describes a folder."],
  ["post", "/folders/{id}/copy", "Copy folder"],
  ["put", "/users/{id}/folders/0", "Transfer owned folders", "Moves the folders of a user to another user."],
  ["put", "/folders/{id}/lock", "Lock folder"],
  ["post", "/collaborations", "Create collaboration", "Lets a user or a group use a file or folder."],
  ["get", "/collaborations/{id}", "Get collaboration"],
  ["post", "/users", "Create user"],
];
const HOSTING: readonly Row[] = [
  ["get", "/domains", "List all domains"],
  ["post", "/domains", "Create a new domain", "Adds a domain to the account, optionally with the IP of a server."],
  ["get", "/domains/{domain}", "Retrieve an existing domain"],
  ["delete", "/domains/{domain}", "Delete a domain"],
  ["get", "/domains/{domain}/records", "List all domain records"],
  ["post", "/domains/{domain}/records", "Create a new domain record"],
  ["put", "/domains/{domain}/records/{id}", "Update a domain record"],
  ["post", "/ips", "Create a new reserved IP"],
  ["get", "/access-points", "List access points"],
];
const TAGS = {
  tracker: { name: "Issues", description: "What is to be done." },
  files: { name: "Files", description: "Content in the cloud." },
  hosting: { name: "DNS", description: "Names of servers." },
};

describe("among the first three is", () => {
  test.each([
    ["close an issue", "Transition issue", documentOf(TRACKER, TAGS.tracker)],
    ["share a folder with a colleague", "Create collaboration", documentOf(FILES, TAGS.files)],
    ["point a domain at an ip", "Create a new domain record", documentOf(HOSTING, TAGS.hosting)],
  ])("for %j: %s", async (question, title, document) => {
    expect((await titlesFound(document, question)).slice(0, 3)).toContain(title);
  });
});

test("a tool is found by what the document says of its tag, and by the name of an argument", async () => {
  const rows: readonly Row[] = [
    ["post", "/boats", "Create a boat"],
    ["post", "/boats/{engineSerial}/checks", "Check a boat"],
  ];
  const document = documentOf(rows, { name: "boats", description: "A boat is our word for a virtual machine. More." });
  expect(await titlesFound(document, "make a server")).toContain("Create a boat");
  expect(await titlesFound(document, "engine")).toEqual(["Check a boat"]);
});

const DOCUMENTS: readonly (readonly [app: string, path: string])[] = [
  ["readme", "3.1/json/readme.json"],
  ["train-travel", "3.1/json/train-travel.json"],
  ["star-trek", "3.0/json/star-trek.json"],
];

test("most of the questions about the documents at hand find their tool in the first three", async () => {
  const answers = await Promise.all(
    DOCUMENTS.map(async ([app, path]) => {
      const { text } = read(app, `node_modules/@readme/oas-examples/${path}`);
      const result = await compileCatalog(text, { app, namespace: { disabled: false } });
      if ("errors" in result) throw new Error(JSON.stringify(result.errors));
      return answersAbout(app, result.catalog, questionsOf("tuning"));
    }),
  );
  expect(foundAmong(3, answers.flat())).toBeGreaterThanOrEqual(answers.flat().length * 0.8);
});

test("the table has 60 questions of each half, about at least eight documents, and none twice", () => {
  const halves = [questionsOf("tuning"), questionsOf("heldOut")];
  expect(halves.map((questions) => questions.length)).toEqual([60, 60]);
  for (const questions of halves) expect(new Set(questions.map(({ app }) => app)).size).toBeGreaterThanOrEqual(8);
  const files = Object.keys(QUESTION_FILES) as (keyof typeof QUESTION_FILES)[];
  const asked = files
    .slice(0, 2)
    .flatMap(questionsOf)
    .map(({ app, question }) => `${app}: ${question}`);
  expect(new Set(asked).size).toBe(asked.length);
});
