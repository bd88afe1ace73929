import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildSite } from "../../infra/build/site/build.ts";
import { makeSite, type Sources } from "../../infra/build/site/pages.ts";
import { mistakesInSite } from "../../infra/build/site/verify.ts";
import { documentOfAll } from "../../lib/management/document.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

describe("the site of this repository", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "countersign-site-"));
    // It refuses dead links and pages that the menu lacks.
    await buildSite(ROOT, join(folder, "site"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const read = (file: string) => readFile(join(folder, "site", file), "utf8");

  test("starts with the README, and has the pages, pictures and files that pages link to", async () => {
    expect(await read("index.html")).toContain("identity platform");
    for (const file of [
      "docs/decisions/index.html",
      "docs/screenshots/overview-light.png",
      "docs/countersign.schema.json",
      "files/wrangler.toml.html",
      "assets/mermaid.js",
    ]) {
      await access(join(folder, "site", file));
    }
  });

  test("describes each operation of the management API, and each schema", async () => {
    const api = documentOfAll() as unknown as {
      readonly paths: Readonly<Record<string, object>>;
      readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
    };
    const overview = await read("docs/api-reference/index.html");
    const schemas = await read("docs/api-reference/schemas.html");
    const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.filter((operation) => !overview.includes(`<code>${operation}</code>`))).toEqual([]);
    expect(
      Object.keys(api.components.schemas).filter((name) => !schemas.includes(`id="${name.toLowerCase()}"`)),
    ).toEqual([]);
  });

  test("has the keys of the configuration on a page and in the search", async () => {
    expect(await read("docs/configuration.html")).toContain("expectedAudiences");
    expect(await read("assets/search.json")).toContain("expectedAudiences");
  });
});

describe("what a site refuses", () => {
  test.each([
    [
      "a link to a page that does not exist",
      "[x](docs/none.md)",
      "README.md: links to docs/none.md, which does not exist",
    ],
    ["a link to a heading that does not exist", "[x](docs/one.md#none)", "docs/one.html#none names a heading"],
    ["a link to a heading of its own that does not exist", "[x](#none)", "index.html: #none names a heading"],
    ["a picture that does not exist", '<img src="docs/none.png" alt="x">', "README.md: shows docs/none.png"],
    ["a picture in Markdown that does not exist", "![x](docs/none.png)", "README.md: links to docs/none.png"],
    ["a picture of another site", "![x](https://pictures.example/x.png)", "img loads https://pictures.example/x.png"],
    ["a diagram without a title", "```mermaid\nflowchart LR\n  a --> b\n```", "README.md: a diagram has no accTitle"],
  ])("%s", (_, text, message) => {
    expect(() => makeSite(sources({ "README.md": `# Start\n\n${text}\n` }))).toThrow(message);
  });

  test.each([
    ["a page that the menu lacks", ["README.md"], "docs/one.md is not in the menu"],
    ["a page that the menu has twice", ["README.md", "docs/one.md", "docs/one.md"], "docs/one.md is in the menu twice"],
    ["a name of no page", ["README.md", "docs/one.md", "docs/two.md"], "docs/two.md, which does not exist"],
  ])("%s", (_, pages, message) => {
    expect(() => makeSite({ ...sources(), sections: [{ title: "Start", pages }] })).toThrow(message);
  });

  test("scripts and styles of other hosts", () => {
    const page = '<script src="https://cdn.example/x.js"></script><link rel="stylesheet" href="//cdn.example/x.css">';
    expect(mistakesInSite(new Map([["index.html", page]]), [])).toEqual([
      "index.html: script loads https://cdn.example/x.js",
      "index.html: link loads //cdn.example/x.css",
    ]);
  });
});

describe("what becomes of Markdown", () => {
  test.each([
    ["a link to a page", "[x](docs/one.md#first-part)", '<a href="docs/one.html#first-part">x</a>'],
    ["a link to a folder with an index", "[x](docs/many/)", '<a href="docs/many/index.html">x</a>'],
    ["a link to a file that is no page", "[x](lib/a.ts)", '<a href="files/lib/a.ts.html">x</a>'],
    ["a link to a folder without one", "[x](lib/)", '<a class="folder">x</a>'],
    ["a link to another site", "[x](https://other.example/)", '<a href="https://other.example/">x</a>'],
    ["a comment for the checks", "<!-- runs: alone -->\n```text\nls\n```", '<pre tabindex="0"><code>ls\n</code></pre>'],
    ["code", "```yaml\na: 1\n```", '<span class="hljs-attr">a:</span>'],
    ["code of an unknown language", "```odd\na < b\n```", "<code>a &#60; b\n</code>"],
  ])("%s", (_, text, html) => {
    const { files } = makeSite(sources({ "README.md": `# Start\n\n${text}\n` }));
    expect(files.get("index.html")).toContain(html);
    expect(files.get("index.html")).not.toContain("<!--");
  });

  test("headings of one name have anchors of their own, and the search leads to each", () => {
    const { files } = makeSite(sources({ "README.md": "# Start\n\n## Same\n\none\n\n## Same\n\ntwo\n" }));
    const [start] = JSON.parse(files.get("assets/search.json") ?? "[]");
    expect(start.parts).toEqual([
      ["start", "Start", ""],
      ["same", "Same", "one"],
      ["same-1", "Same", "two"],
    ]);
  });
});

/** A small repository: a start page, a page with a heading, a folder of pages, and a file of code. */
function sources(pages: Readonly<Record<string, string>> = {}): Sources {
  const all = {
    "README.md": "# Start\n",
    "docs/one.md": "# One\n\n## First part\n",
    "docs/many/README.md": "# Many\n",
    "docs/api.md": "# The API\n",
    ...pages,
  };
  return {
    pages: new Map(Object.entries(all)),
    sections: [{ title: "Start", pages: [...Object.keys(all), "docs/api-reference/README.md"] }],
    api: { info: { description: "" }, tags: [], paths: {}, components: { schemas: {}, responses: {} } },
    kindOf: (path) => (path === "lib/a.ts" ? "file" : path === "lib" ? "folder" : undefined),
    read: () => "export const a = 1;\n",
  };
}
