import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkplace, tools, type Workplace } from "./workplace.ts";

const DOCUMENT = `openapi: 3.1.0
info: {title: Notes, version: "1"}
paths:
  /a:
    get: {operationId: long, summary: "Lists notes.\\n\\nOf **all**."}
    post: {operationId: untitled, description: "Adds a [note](/notes) to\\nthe list. Fast."}
    put: {operationId: both, summary: Change it, description: "Of notes."}
`;
let workplace: Workplace;
let args: readonly string[];

beforeAll(async () => {
  workplace = await createWorkplace();
  const file = join(workplace.folder, "notes.yaml");
  await writeFile(file, DOCUMENT);
  args = ["-openapi", file];
});

afterAll(() => workplace.remove());

describe("titles", () => {
  test("are of one line, and without a summary what the description begins with", async () => {
    const [, ...lines] = (await tools(args)).split("\n");
    const titles = lines.slice(0, 3).map((line) => line.split(/ {2,}/).at(-1));
    expect(titles).toEqual(["Lists notes.", "Change it", "Adds a note to the list."]);
    const { tools: rows } = JSON.parse(await tools([...args, "-json"]));
    expect(rows.map(({ title }: { title: string }) => title)).toContain("Adds a note to the list.");
  });

  test("are not told again with a description that begins with them", async () => {
    const heading = async (name: string) => (await tools([...args, "-tool", name])).split("\n\nNAME IN RULES")[0];
    expect(await heading("notes_long")).toBe("notes_long\n\nLists notes.\n\nOf **all**.");
    expect(await heading("notes_untitled")).toBe("notes_untitled\n\nAdds a [note](/notes) to\nthe list. Fast.");
    expect(await heading("notes_both")).toBe("notes_both\n\nChange it\n\nOf notes.");
  });
});
